import { z } from "zod";
import { isEvmAddress } from "./address.ts";
import { parseId } from "./cb58.ts";

/** The networks of the contract; `testnet` is another word for `fuji` and never stored. */
export const NETWORKS = ["mainnet", "fuji"] as const;
export type Network = (typeof NETWORKS)[number];

export const FEATURES = ["nftIndexing", "webhooks", "teleporter"] as const;

const port = z.number().int().min(0).max(65_535);
const url = z.url({ protocol: /^https?$/ });
const id = z
  .string()
  .refine((text) => parseId(text) !== null, "must be a 32-byte id, as CB58 or hex")
  .transform((text) => parseId(text) as string);
const evmAddress = z.string().refine(isEvmAddress, "must be 0x and 40 hex digits");
const positive = z.number().int().min(1);
const ms = z.number().int().min(1);

const networkToken = z.strictObject({
  name: z.string().default("Avalanche").describe("Name shown to callers."),
  symbol: z.string().default("AVAX").describe("Symbol shown to callers."),
  decimals: z.number().int().min(0).max(255).default(18).describe("Digits after the point of a whole token."),
  logoUri: z.string().optional().describe("Logo shown to callers."),
  description: z.string().optional().describe("Description shown to callers."),
  priceId: z
    .string()
    .min(1)
    .optional()
    .describe("Its id at the source of prices (`avalanche-2`). Without one it has no price."),
});

/** The messenger that Teleporter's release 1.0.0 has on every chain. */
const TELEPORTER_MESSENGER = "0x253b2784c75e510dd0ff1da844684a1ac0aa5fcf";

const evmChain = z.strictObject({
  chainId: positive.describe(
    "EVM chain id, as `eth_chainId` answers it. The indexer refuses a node that answers another.",
  ),
  network: z
    .enum(["mainnet", "fuji", "testnet"])
    .transform((name): Network => (name === "testnet" ? "fuji" : name))
    .describe(
      "The network that the chain belongs to. A network of one's own takes the place of one of the two: its chains bear that name.",
    ),
  nodeUrl: url.describe("JSON-RPC URL of the node to index. Never shown to callers."),
  nodeHeaders: z
    .record(z.string(), z.string())
    .default({})
    .describe("Headers sent to the node with each request, say a key."),
  chainName: z.string().min(1).describe("Name shown to callers."),
  description: z.string().default("").describe("Description shown to callers."),
  blockchainId: id.optional().describe("Blockchain id (CB58 or hex). Callers may use it in place of the EVM chain id."),
  subnetId: id.optional().describe("Subnet id (CB58 or hex)."),
  vmId: id.optional().describe("VM id (CB58 or hex)."),
  explorerUrl: z.string().optional().describe("Explorer shown to callers."),
  rpcUrl: z.string().default("").describe("Public RPC URL shown to callers."),
  wsUrl: z.string().optional().describe("Public WebSocket URL shown to callers."),
  networkToken: networkToken.prefault({}).describe("The chain's own token."),
  chainLogoUri: z.string().optional().describe("Logo shown to callers."),
  private: z.boolean().default(false).describe("Shown to callers as it is."),
  enabledFeatures: z
    .array(z.enum(FEATURES))
    .default([])
    .describe(
      "Features that `feature=` of the chain list finds. `nftIndexing` also has the metadata of the chain's NFTs looked for: requests then go out to the hosts that tokens name.",
    ),
  multicall: evmAddress.optional().describe("Address of a multicall contract, shown as `utilityAddresses.multicall`."),
  tokenLogos: z.record(evmAddress, z.string()).default({}).describe("Logo URI by ERC-20 contract address."),
  tokenPriceIds: z
    .record(evmAddress, z.string().min(1))
    .default({})
    .describe("Id at the source of prices by ERC-20 contract address. A token without one has no price."),
  traces: z
    .enum(["auto", "on", "off"])
    .default("auto")
    .describe(
      "Internal transactions, and contracts made by contracts, by `debug_traceBlockByNumber`: `on` waits for a node that answers it, `auto` indexes without what the node refuses, `off` never asks. Of old blocks only a node that keeps their states (an archive) gives them.",
    ),
  teleporterMessengers: z
    .array(evmAddress)
    .default([TELEPORTER_MESSENGER])
    .describe(
      "Contracts whose events are Teleporter messages. Anybody can emit the same events from others. After a change the indexer's next start makes the chain's rows again, from the raw store.",
    ),
  wrappedNativeTokens: z
    .array(evmAddress)
    .optional()
    .describe(
      "Contracts that wrap the chain's own coin and say so by `Deposit` and `Withdrawal` instead of `Transfer`: counted in balances. Default: WAVAX on the C-Chains of mainnet and Fuji. After a change the indexer's next start makes the chain's rows again, from the raw store.",
    ),
});

/** Ids of the networks that have them by name. */
export const NETWORK_IDS: Readonly<Record<Network, number>> = { mainnet: 1, fuji: 5 };

const millionths = z.number().int().min(0).max(1_000_000);
const nanoAvax = z
  .string()
  .regex(/^[1-9]\d{0,19}$/, "must be a whole number above 0, in quotes")
  .transform(BigInt);

const primaryNetwork = z
  .strictObject({
    network: z
      .enum(["mainnet", "fuji", "testnet"])
      .transform((name): Network => (name === "testnet" ? "fuji" : name))
      .describe("The name that the network has in paths. A network of one's own takes the place of one of the two."),
    networkId: z
      .number()
      .int()
      .min(1)
      .max(2 ** 32 - 1)
      .optional()
      .describe(
        "Network id, as `info.getNetworkID` answers it: 1 or 5 by the name when absent. The indexer refuses a node of another.",
      ),
    nodeUrl: url.describe(
      "Base URL of the node to index, such as `http://127.0.0.1:9650`: what stands before `/ext/bc/P`. Never shown to callers.",
    ),
    nodeHeaders: z
      .record(z.string(), z.string())
      .default({})
      .describe("Headers sent to the node with each request, say a key."),
    genesisFile: z
      .string()
      .min(1)
      .optional()
      .describe(
        "The node's genesis file (`--genesis-file`), also gzipped. Every network but mainnet and Fuji needs it.",
      ),
    upgradesFile: z
      .string()
      .min(1)
      .optional()
      .describe("The node's upgrade file (`--upgrade-file`). Absent: what the node answers to `info.upgrades`."),
    vertexTimesFile: z
      .string()
      .min(1)
      .optional()
      .describe(
        "When the X-Chain's vertices were accepted, a line `<vertex id> <seconds since the epoch>` each, also gzipped: vertices bear no time, and a node that caught up later knows only when it did so. Read while vertices are taken in, for those it names.",
      ),
    index: z
      .enum(["auto", "on", "off"])
      .default("auto")
      .describe(
        "Blocks by the node's index (`--index-enabled` from an empty database), which alone says who proposed them: `on` waits for a node that has it, `auto` takes blocks by height from one that has not, `off` always does. Vertices of an X-Chain that began with them always come from the index.",
      ),
    cChainProposers: z
      .boolean()
      .default(true)
      .describe("Whether the index of the C-Chain is read too, in the background, for who proposed its blocks."),
    rewards: z
      .strictObject({
        minConsumptionRate: millionths
          .default(100_000)
          .describe("Rate of the shortest stake, in millionths: `--stake-min-consumption-rate`."),
        maxConsumptionRate: millionths
          .default(120_000)
          .describe("Rate of a stake of a whole minting period: `--stake-max-consumption-rate`."),
        mintingPeriodSeconds: positive.default(31_536_000).describe("`--stake-minting-period` in seconds."),
        supplyCap: nanoAvax
          .prefault("720000000000000000")
          .describe("Supply that rewards approach, in nAVAX, as text: `--stake-supply-cap`."),
        maxValidatorStake: nanoAvax
          .prefault("3000000000000000")
          .describe(
            "Stake beyond which auto-renewed validators stake no reward again, in nAVAX, as text: `--max-validator-stake`.",
          ),
      })
      .prefault({})
      .describe("What stakes earn, for a network whose nodes run with such flags of their own."),
  })
  .transform((one) => ({ ...one, networkId: one.networkId ?? NETWORK_IDS[one.network] }))
  .refine(({ networkId, genesisFile }) => networkId === 1 || networkId === 5 || genesisFile !== undefined, {
    path: ["genesisFile"],
    message: "must be set for a network other than mainnet (1) and Fuji (5)",
  });

/** Nanoseconds of the units of Go's durations. */
const GO_UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  "\u00b5s": 1e3,
  "\u03bcs": 1e3,
  ms: 1e6,
  s: 1e9,
  m: 6e10,
  h: 3.6e12,
};
const GO_PART = /(\d+\.?\d*|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)/g;

/** Milliseconds of a duration as nodes take it, such as `2s` or `1m30s`; null of a text that is none. */
export function goDurationMs(text: string): number | null {
  const unsigned = text.replace(/^\+/, "");
  if (unsigned.replace(GO_PART, "") !== "" || unsigned === "") return null;
  const parts = [...text.matchAll(GO_PART)].map(([, count, unit = ""]) => Number(count) * (GO_UNITS[unit] ?? 0));
  return parts.reduce((sum, part) => sum + part, 0) / 1e6;
}

const SHORTEST_PAUSE_MS = 100;
/** Timers take no longer ones. */
const LONGEST_PAUSE_HOURS = 596;
const goDuration = z.string().refine((text) => {
  const ms = goDurationMs(text);
  return ms !== null && ms >= SHORTEST_PAUSE_MS && ms <= LONGEST_PAUSE_HOURS * 3_600_000;
}, `must be a duration of at least ${SHORTEST_PAUSE_MS}ms and at most ${LONGEST_PAUSE_HOURS}h, such as 2s or 1m30s`);

const nodeInterface = z.strictObject({
  network: z
    .enum(["mainnet", "fuji", "testnet"])
    .transform((name): Network => (name === "testnet" ? "fuji" : name))
    .optional()
    .describe("The network whose node speaks here. Absent: the first of `primaryNetworks`."),
  networkId: positive
    .optional()
    .describe(
      "Id of that network, which its node must be of. Absent: that of its entry in `primaryNetworks`, else 1 or 5 by name. For an own network of which only EVM chains are indexed.",
    ),
  nodeUrl: url
    .optional()
    .describe(
      "Base URL of the node that is asked, such as `http://127.0.0.1:9650`: what stands before `/ext/info`. Never shown to callers. Absent: that of the network's entry in `primaryNetworks`.",
    ),
  nodeHeaders: z
    .record(z.string(), z.string())
    .optional()
    .describe("Headers sent to that node with each request. Absent: those of the entry, where its URL is taken too."),
  askNode: z
    .boolean()
    .default(true)
    .describe("Whether a node is asked at all. `false`: answers come from the index and the settings alone."),
  public: z
    .boolean()
    .default(false)
    .describe("Whether this is a public server: without health, `info.getNodeID`, `info.getNodeIP` and `info.getVMs`."),
  healthCheckFrequency: goDuration
    .default("30s")
    .describe("Pause between two runs of the health checks, as nodes take it; also `--health-check-frequency`."),
  allowedHosts: z
    .array(z.string().min(1))
    .default(["*"])
    .describe(
      'Names in the `Host` header under which `/ext` answers; `*` is any. A node\'s own default is `["localhost"]`.',
    ),
  requiredAvailableDiskSpacePercentage: z
    .number()
    .min(0)
    .max(50)
    .default(3)
    .describe("Free space, in percent of the disk of `dataDirectory`, below which the check `diskspace` fails."),
  requestTimeoutMs: ms.default(5_000).describe("Time that one request to the node may take."),
});

const apiKey = z.strictObject({
  key: z.string().min(8, "must be of at least 8 characters").describe("The key, of at least 8 characters."),
  computeUnitsPerMinute: positive.optional().describe("Compute units a minute. Absent: no limit."),
  networks: z.array(z.enum(NETWORKS)).optional().describe("Networks that it may ask for. Absent: all."),
});

/** Every setting, its rule, its default and its meaning: the only place. docs/configuration.md is generated from it. */
export const configSchema = z.strictObject({
  host: z.string().default("127.0.0.1").describe("Address to listen on."),
  port: port.default(4000).describe("Port of GraphQL, REST and health. 0 takes a free one."),
  metricsPort: port
    .optional()
    .describe("Port of a listener of their own for the metrics paths. Absent: the same as all others."),
  dataDirectory: z
    .string()
    .min(1)
    .default(".moraine")
    .describe("Where the embedded database and the demo keep what they need."),
  databaseUrl: z
    .url({ protocol: /^postgres(ql)?$/ })
    .optional()
    .describe("PostgreSQL 15 or newer. Absent: the embedded server."),
  databasePoolSize: z
    .number()
    .int()
    .min(1)
    .max(500)
    .default(10)
    .describe("Most connections that the API side of one process opens."),
  demo: z
    .enum(["auto", "live", "full", "off"])
    .default("auto")
    .describe(
      "The bundled recording: `live` lets its head advance as in life, for some minutes from the first start on (remove `dataDirectory` to begin anew), `full` serves it whole from the start, `auto` is `live` while no chain is configured.",
    ),
  logLevel: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("Least severe line that is written."),
  dialect: z.enum(["contract", "hosted"]).default("contract").describe("Dialect of the REST paths at the root."),
  hostedPrefix: z
    .string()
    .regex(/^(\/[\w-]+)*$/, "must be empty or a path such as /hosted")
    .default("/hosted")
    .describe("Mount of the same REST paths in the hosted product's dialect. Empty: none."),
  keyHeaders: z
    .array(z.string().toLowerCase())
    .min(1)
    .default(["x-service-api-key", "x-glacier-api-key"])
    .describe("Headers that may carry an API key; where several do, the first of this list counts."),
  apiKeys: z
    .array(apiKey)
    .default([])
    .describe(
      "Keys that are accepted: `key`, optionally `computeUnitsPerMinute` and the `networks` it may ask for. An unknown key gets 401. Keys and limits hold on the REST paths of the data, not on `/graphql`: put a proxy before that where callers are strangers.",
    ),
  computeUnitsPerMinute: z
    .number()
    .int()
    .min(0)
    .default(0)
    .describe("Compute units a minute, on the REST paths, of a caller without a key (by address). 0: no limit."),
  trustProxy: z.boolean().default(false).describe("Take the caller's address from `X-Forwarded-For`."),
  bodyLimitBytes: positive.default(1_048_576).describe("Largest request body."),
  evmSubgraphUrl: url.optional().describe("The evm subgraph, where it runs in another process."),
  primaryNetworkSubgraphUrl: url.optional().describe("The primary-network subgraph, where it runs in another process."),
  nodeSubgraphUrl: url.optional().describe("The node subgraph, where it runs in another process."),
  gatewayUrl: url.optional().describe("The gateway, where it runs in another process."),
  methodSignatures: z
    .string()
    .min(1)
    .optional()
    .describe(
      "File of function signatures, one on a line as `transfer(address,uint256)`, that come before the bundled ones.",
    ),
  prices: z
    .strictObject({
      url: url
        .optional()
        .describe(
          "API that speaks as CoinGecko's does, such as `https://api.coingecko.com/api/v3`. Absent: nobody is asked.",
        ),
      headers: z.record(z.string(), z.string()).default({}).describe("Headers sent with each request, say a key."),
      pollIntervalMs: ms.default(300_000).describe("Pause between two questions for the current prices."),
      maxAgeSeconds: positive
        .default(172_800)
        .describe("Oldest that a price may be at the time that it is shown for. A price that is older is left out."),
    })
    .prefault({})
    .describe("Where prices come from, beside what `npm run prices` brings in from files."),
  nftMetadata: z
    .strictObject({
      remote: z
        .boolean()
        .default(true)
        .describe(
          "Whether `https:` and `ipfs:` URIs are fetched. `false`: only `data:` URIs are read, no request leaves.",
        ),
      ipfsGateway: url
        .default("https://ipfs.io")
        .describe("Gateway that `ipfs:` URIs are fetched from. It may be at any address and port, also over `http:`."),
      requestTimeoutMs: ms.default(10_000).describe("Time that a token's metadata may take, redirects included."),
      maxBytes: positive.default(1_048_576).describe("Most bytes of a token's metadata."),
      maxRedirects: z.number().int().min(0).max(20).default(5).describe("Most redirects that are followed."),
      maxConcurrency: z.number().int().min(1).max(64).default(8).describe("Most fetches under way of one chain."),
    })
    .prefault({})
    .describe(
      "Metadata of NFTs, for chains with the feature `nftIndexing`: over `https:` at port 443 only. Private, loopback and link-local addresses are never asked, but for the operator's own `ipfsGateway`.",
    ),
  indexing: z
    .strictObject({
      pollIntervalMs: ms.default(500).describe("Pause between two looks at a node's head."),
      requestTimeoutMs: ms.default(15_000).describe("Time that one request to a node may take."),
      maxConcurrency: z
        .number()
        .int()
        .min(1)
        .max(256)
        .default(16)
        .describe("Most requests under way at a node; the real number adapts below it."),
      maxBatchSize: z
        .number()
        .int()
        .min(1)
        .max(1_000)
        .default(100)
        .describe("Most calls in one request to a node; the real number adapts below it."),
      batchBlocks: z
        .number()
        .int()
        .min(1)
        .max(10_000)
        .default(500)
        .describe("Most blocks written in one transaction while far behind the head."),
      standbyPollMs: ms.default(1_000).describe("How often a process that stands by tries to become a chain's writer."),
    })
    .prefault({})
    .describe("How chains are indexed."),
  nodeInterface: nodeInterface
    .prefault({})
    .describe("The node interface: Info and Health, on `/ext` and in the graph."),
  evmChains: z
    .array(evmChain)
    .default([])
    .refine(
      (chains) => new Set(chains.map((chain) => chain.chainId)).size === chains.length,
      "must not name a chainId twice",
    )
    .describe("The EVM chains to index and serve."),
  primaryNetworks: z
    .array(primaryNetwork)
    .default([])
    .refine(
      (networks) => new Set(networks.map(({ network }) => network)).size === networks.length,
      "must not name a network twice",
    )
    .refine(
      (networks) => new Set(networks.map(({ networkId }) => networkId)).size === networks.length,
      "must not name a networkId twice",
    )
    .describe(
      "The primary networks (P-, X- and C-Chain) to index and serve. Atomic transactions of a C-Chain come out of the entry of `evmChains` with its blockchain id.",
    ),
});

export type Config = z.infer<typeof configSchema>;
export type EvmChainConfig = Config["evmChains"][number];
export type PrimaryNetworkConfig = Config["primaryNetworks"][number];
