import { configSchema } from "../../core/config/config-schema.ts";
import type { Api } from "./api.ts";
import { chainIdRules } from "./chain-id.ts";
import { everyRouteRules } from "./every-route.ts";
import { type Rule, rule } from "./rule.ts";

interface Chain extends Readonly<Record<string, unknown>> {
  readonly chainId: string;
}

const NODE = { nodeUrl: "http://127.0.0.1:1/secret", nodeHeaders: { authorization: "secret" } };
const ID = "2q9e4r6Mu3U68nU1fYjgbR6JvwrRx36CohpAX5UQxse55x1Q5";
const MULTICALL = "0xcA11bde05977b3631167028862bE2a173976CA11";

const FULL = {
  chainId: "43114",
  status: "OK",
  chainName: "C-Chain",
  description: 'The "main" chain',
  platformChainId: ID,
  subnetId: "11111111111111111111111111111111LpoYY",
  vmId: "mgj786NP7uDwBCcq6YwThhaN8FLyybkCa4zBWTQbNgmK6k9A6",
  vmName: "EVM",
  explorerUrl: "https://explorer.example",
  rpcUrl: "https://rpc.example",
  wsUrl: "wss://rpc.example",
  isTestnet: false,
  utilityAddresses: { multicall: MULTICALL },
  networkToken: {
    name: "Avalanche",
    symbol: "AVAX",
    decimals: 18,
    logoUri: "https://logo.example",
    description: "Coin",
  },
  chainLogoUri: "https://chain-logo.example",
  private: true,
  enabledFeatures: ["nftIndexing", "teleporter"],
};

const EVM_CHAINS = configSchema.parse({
  evmChains: [
    { ...NODE, chainId: 2, network: "fuji", chainName: "Least" },
    { ...NODE, chainId: 3, network: "testnet", chainName: "Hooks", enabledFeatures: ["webhooks"] },
    { ...NODE, ...configured(), chainId: 43114, network: "mainnet" },
  ],
}).evmChains;

function configured(): object {
  const { status: _, platformChainId, vmName: __, isTestnet: ___, utilityAddresses, ...same } = FULL;
  return { ...same, blockchainId: platformChainId, multicall: utilityAddresses.multicall.toLowerCase() };
}

/** The stack with these three chains. */
const ofThree = (api: Api) => api.shared("three chains", () => api.restarted({ evmChains: EVM_CHAINS }));

const ids = async (api: Api, query: string) =>
  (await api.body<{ chains: Chain[] }>(`/v1/chains${query}`)).chains.map(({ chainId }) => chainId);

const LIST_RULES: readonly Rule[] = [
  rule("E17.1", "MUST", "lists the supported chains", async (api) => {
    expect(await ids(api, "")).toEqual(["760011", "760012"]);
  }),
  rule("E17.2", "MUST", "network filters by network; testnet is an alias of fuji", async (api) => {
    const three = await ofThree(api);
    expect(await ids(three, "?network=mainnet")).toEqual(["43114"]);
    expect(await ids(three, "?network=fuji")).toEqual(["2", "3"]);
    expect(await ids(three, "?network=testnet")).toEqual(["2", "3"]);
  }),
  rule(
    "E17.3",
    "MUST",
    "feature filters by feature, can be combined with network, and returns an empty list without a match",
    async (api) => {
      const three = await ofThree(api);
      expect(await ids(three, "?feature=teleporter")).toEqual(["43114"]);
      expect(await ids(three, "?feature=webhooks&network=fuji")).toEqual(["3"]);
      expect(await ids(three, "?feature=webhooks&network=mainnet")).toEqual([]);
    },
  ),
  rule("E17.4", "MUST", "refuses other networks and features with 400", async (api) => {
    for (const bad of ["Fuji", "local", "mainnet,fuji", "1"])
      expect(await api.refusal(`/v1/chains?network=${bad}`)).toEqual([
        400,
        `network must be one of mainnet, fuji, testnet, got "${bad}"`,
      ]);
    expect(await api.refusal("/v1/chains?feature=NFT")).toEqual([
      400,
      'feature must be one of nftIndexing, webhooks, teleporter, got "NFT"',
    ]);
  }),
  rule("E17.5", "CHOICE", "lists Mainnet first, then by ascending chain id", async (api) => {
    const three = await ofThree(api);
    expect(await ids(three, "")).toEqual(["43114", "2", "3"]);
  }),
  rule("E17.6", "CHOICE", "returns 403 for a network that the key does not allow", async (api) => {
    await using keyed = await api.limited({ settings: { apiKeys: [{ key: "key-of-fuji", networks: ["fuji"] }] } });
    const status = async (query: string) =>
      (await keyed.get(`/v1/chains${query}`, { headers: { "x-service-api-key": "key-of-fuji" } })).status;
    expect(await status("?network=mainnet")).toBe(403);
    expect(await status("?network=testnet")).toBe(200);
    expect(await status("")).toBe(200);
  }),
];

const ONE_RULES: readonly Rule[] = [
  rule("E18.1", "MUST", "returns the same chain as the list", async (api) => {
    const { chains } = await api.body<{ chains: Chain[] }>("/v1/chains");
    for (const chain of chains) expect(await api.body(`/v1/chains/${chain.chainId}`)).toEqual(chain);
  }),
  rule("E18.2", "MUST", "returns every documented field of a fully configured chain", async (api) => {
    const three = await ofThree(api);
    expect(await three.body("/v1/chains/43114")).toEqual(FULL);
    expect(await three.body(`/v1/chains/${ID}`)).toEqual(FULL);
  }),
  rule("E18.3", "CHOICE", "omits fields that are not configured, except description and rpcUrl", async (api) => {
    const three = await ofThree(api);
    expect(await three.body("/v1/chains/2")).toEqual({
      chainId: "2",
      status: "OK",
      chainName: "Least",
      description: "",
      vmName: "EVM",
      rpcUrl: "",
      isTestnet: true,
      networkToken: { name: "Avalanche", symbol: "AVAX", decimals: 18 },
      private: false,
      enabledFeatures: [],
    });
  }),
  rule("E18.4", "CHOICE", "never returns the URL or the headers of the node", async (api) => {
    const three = await ofThree(api);
    for (const path of ["/v1/chains", "/v1/chains/2"]) expect((await three.get(path)).text).not.toContain("secret");
  }),
];

/** All rules of E17 and E18. */
export const CHAIN_RULES: readonly Rule[] = [
  ...LIST_RULES,
  ...everyRouteRules({
    id: "E17",
    path: "/v1/chains",
    units: 1,
    statements: 1,
    parameter: { name: "network", good: "fuji", bad: "x" },
  }),
  ...ONE_RULES,
  ...chainIdRules("E18", (chainId) => `/v1/chains/${chainId}`),
  ...everyRouteRules({ id: "E18", path: "/v1/chains/760011", units: 1, statements: 1 }),
];
