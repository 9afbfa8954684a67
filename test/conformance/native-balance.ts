import { formatUnits, getAddress } from "viem";
import { CURRENCIES } from "../../core/networks/prices.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { isFullRun, sampled } from "../support/full.ts";
import { listen } from "../support/node/listen.ts";
import type { Oracle } from "../support/oracle/oracle.ts";
import type { Api } from "./api.ts";
import { chainIdRules } from "./chain-id.ts";
import { everyRouteRules } from "./every-route.ts";
import { type Rule, rule } from "./rule.ts";

const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";

const pathOf = (chainId: string | number, address: string) =>
  `/v1/chains/${chainId}/addresses/${address}/balances:getNative`;
const PATH = pathOf(760011, WALLET);

interface Money {
  readonly currencyCode: string;
  readonly value: unknown;
}

interface Balance {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly chainId: string;
  readonly balance: string;
  readonly price?: Money;
  readonly balanceValue?: Money;
}

const balanceAt = async (api: Api, path: string) =>
  (await api.body<{ nativeTokenBalance: Balance }>(path)).nativeTokenBalance;

/** The node's balance of an address after a block, `latest` for the last. */
interface Recorded {
  readonly address: string;
  readonly block: string;
  readonly balance: string;
}

function recordedBalances({ chain }: Oracle): Recorded[] {
  return openRecording(ALPHA)
    .calls(chain.rpcPath, "eth_getBalance")
    .map(({ params, text }) => {
      const [address, block] = params as [string, string];
      return { address, block, balance: BigInt(JSON.parse(text)).toString() };
    });
}

/** How many recorded balances of a chain `npm test` compares. */
const BALANCES = 40;

const numberOf = (block: string): number => Number(block);

const CONTENT_RULES: readonly Rule[] = [
  rule(
    "E8N.1",
    "MUST",
    "returns the node's balance after the last indexed block, for every recorded address",
    async (api) => {
      for (const oracle of [api.c, api.l1]) {
        const latest = recordedBalances(oracle).filter(({ block }) => block === "latest");
        expect(latest.length).toBeGreaterThan(100);
        for (const { address, balance } of sampled(latest, BALANCES))
          expect(await balanceAt(api, pathOf(oracle.chain.evmChainId, address))).toMatchObject({ balance });
      }
    },
  ),
  rule("E8N.2", "MUST", "with blockNumber returns the node's balance after that block", async (api) => {
    for (const oracle of [api.c, api.l1]) {
      const earlier = recordedBalances(oracle).filter(({ block }) => block !== "latest");
      expect(new Set(earlier.map(({ block }) => block)).size).toBe(3);
      for (const { address, block, balance } of sampled(earlier, BALANCES)) {
        const path = pathOf(oracle.chain.evmChainId, address);
        expect(await balanceAt(api, `${path}?blockNumber=${numberOf(block)}`)).toMatchObject({ balance });
      }
    }
  }),
  rule(
    "E8N.3",
    "CHOICE",
    "with blockTimestamp returns the balance after the last block at or before that time",
    async (api) => {
      let compared = 0;
      for (const oracle of [api.c, api.l1]) {
        const timeOf = (number: number) => Number(oracle.blocks.at(-1 - number)?.["blockTimestamp"]);
        for (const { address, block, balance } of sampled(recordedBalances(oracle), BALANCES)) {
          const at = timeOf(numberOf(block));
          const next = timeOf(numberOf(block) + 1);
          // Another block of the same second counts in its place.
          if (block === "latest" || at === next) continue;
          const path = pathOf(oracle.chain.evmChainId, address);
          for (const time of [at, next - 1])
            expect(await balanceAt(api, `${path}?blockTimestamp=${time}`)).toMatchObject({ balance });
          compared++;
        }
        const [{ address, balance }] = recordedBalances(oracle).filter(({ block }) => block === "latest") as [Recorded];
        const end = `${pathOf(oracle.chain.evmChainId, address)}?blockTimestamp=${oracle.blocks[0]?.["blockTimestamp"]}`;
        expect(await balanceAt(api, end)).toMatchObject({ balance });
      }
      expect(compared).toBeGreaterThan(isFullRun ? 150 : 25);
    },
  ),
  rule("E8N.4", "MUST", "describes the chain's native token with exactly the configured fields", async (api) => {
    const token = { name: "Coin", symbol: "C", decimals: 6, logoUri: "https://logo.example", description: "Unsaid" };
    const evmChains = api.config.evmChains.map((chain) => ({ ...chain, networkToken: token }));
    await using other = await api.restarted({ evmChains });
    const { balance } = await balanceAt(api, PATH);
    const { description: _, ...fields } = token;
    expect(await balanceAt(other, PATH)).toEqual({ ...fields, chainId: "760011", balance });
    expect(await balanceAt(other, pathOf(api.c.chain.blockchainId, WALLET))).toMatchObject({ chainId: "760011" });
  }),
  rule("E8N.5", "CHOICE", "returns 0 for an unused address", async (api) => {
    expect(await balanceAt(api, pathOf(760011, `0x${"1".repeat(40)}`))).toMatchObject({ balance: "0" });
  }),
];

const PARAMETER_RULES: readonly Rule[] = [
  rule("E8N.6", "CHOICE", "refuses blockNumber and blockTimestamp together with 400", async (api) => {
    expect(await api.refusal(`${PATH}?blockNumber=58&blockTimestamp=1`)).toEqual([
      400,
      "blockNumber and blockTimestamp must not both be given",
    ]);
  }),
  rule("E8N.7", "CHOICE", "refuses a block above the last indexed block with 400 and names that block", async (api) => {
    const last = api.c.chain.height;
    for (const beyond of [last + 1, 2 ** 53, 2n ** 63n, 10n ** 77n])
      expect(await api.refusal(`${PATH}?blockNumber=${beyond}`)).toEqual([
        400,
        `blockNumber must be at most ${last}, the last indexed block, got ${beyond}`,
      ]);
  }),
  rule("E8N.8", "CHOICE", "refuses a time after the last indexed block with 400 and names that time", async (api) => {
    const last = Number(api.c.blocks[0]?.["blockTimestamp"]);
    for (const beyond of [last + 1, 10n ** 20n])
      expect(await api.refusal(`${PATH}?blockTimestamp=${beyond}`)).toEqual([
        400,
        `blockTimestamp must be at most ${last}, the timestamp of the last indexed block ${api.c.chain.height}, got ${beyond}`,
      ]);
  }),
  rule("E8N.9", "CHOICE", "refuses a time before the first block with 400", async (api) => {
    const first = Number(api.l1.blocks.at(-1)?.["blockTimestamp"]);
    expect(await api.refusal(`${pathOf(760012, WALLET)}?blockTimestamp=${first - 1}`)).toEqual([
      400,
      `blockTimestamp must not be before the chain's first block, got ${first - 1}`,
    ]);
  }),
  rule("E8N.10", "CHOICE", "refuses a block or time that is not decimal digits with 400", async (api) => {
    for (const name of ["blockNumber", "blockTimestamp"]) {
      for (const bad of ["1e%2B21", "1e3", "1.5", "-1", "0x10", "latest", "%2B1", "1%200"])
        expect(await api.refusal(`${PATH}?${name}=${bad}`)).toEqual([
          400,
          expect.stringMatching(`^${name} must be a non-negative integer, got "`),
        ]);
      expect(await api.refusal(`${PATH}?${name}=${"9".repeat(120)}`)).toEqual([
        400,
        expect.stringMatching(`^${name} must have at most 78 digits, got "999`),
      ]);
    }
  }),
  rule(
    "E8N.11",
    "CHOICE",
    "accepts an address in any letter case, and refuses an invalid one with 400",
    async (api) => {
      const { text } = await api.get(PATH);
      for (const same of [getAddress(WALLET), `0x${WALLET.slice(2).toUpperCase()}`])
        expect((await api.get(pathOf(760011, same))).text).toBe(text);
      for (const bad of ["0x12", WALLET.slice(2), `${WALLET}0`, "fuji1abc", "%00"])
        expect(await api.refusal(pathOf(760011, bad))).toEqual([
          400,
          expect.stringMatching(/^address must be 0x and 40 hex digits, got "/),
        ]);
    },
  ),
  rule("E8N.12", "MUST", "accepts the fourteen currencies in lower case only", async (api) => {
    const { text } = await api.get(PATH);
    for (const currency of CURRENCIES) expect((await api.get(`${PATH}?currency=${currency}`)).text).toBe(text);
    for (const bad of ["USD", "btc", "usd,eur", "1"])
      expect(await api.refusal(`${PATH}?currency=${bad}`)).toEqual([
        400,
        expect.stringMatching(/^currency must be one of usd, eur, .*, nzd, got "/),
      ]);
  }),
];

/** The stack with a current price of the C-Chain's native token, and one at the time of block 58. */
async function priced(api: Api): Promise<Api> {
  const asset = "coin-of-native-balances";
  const then = api.c.blocks.at(-1 - 58)?.["blockTimestamp"];
  const put = "INSERT INTO prices VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
  await api.pool.query(put, [asset, "usd", api.nowSeconds, "17.250000001"]);
  await api.pool.query(put, [asset, "jpy", api.nowSeconds, "0.00000012"]);
  await api.pool.query(put, [asset, "usd", then, "3"]);
  const evmChains = api.config.evmChains.map((chain) => ({
    ...chain,
    networkToken: { ...chain.networkToken, priceId: asset },
  }));
  return api.shared("prices of E8N", () => api.restarted({ evmChains, nowMs: () => api.nowSeconds * 1_000 }));
}

const PRICE_RULES: readonly Rule[] = [
  rule("E8N.13", "MUST", "returns the exact price and balance value in the requested currency", async (api) => {
    const rich = await priced(api);
    const { balance, price, balanceValue } = await balanceAt(rich, PATH);
    expect(price).toEqual({ currencyCode: "usd", value: "17.250000001" });
    // 27 digits after the point, rounded half up to 18.
    const worth = (BigInt(balance) * 17_250_000_001n + 5n * 10n ** 8n) / 10n ** 9n;
    expect(balanceValue).toEqual({ currencyCode: "usd", value: formatUnits(worth, 18) });
    const yen = await balanceAt(rich, `${PATH}?currency=jpy`);
    expect(yen.price).toEqual({ currencyCode: "jpy", value: "0.00000012" });
  }),
  rule("E8N.14", "CHOICE", "with blockNumber returns the price at the time of the block", async (api) => {
    const rich = await priced(api);
    const { balance, price, balanceValue } = await balanceAt(rich, `${PATH}?blockNumber=58`);
    expect(price).toEqual({ currencyCode: "usd", value: "3" });
    expect(balanceValue).toEqual({ currencyCode: "usd", value: formatUnits(BigInt(balance) * 3n, 18) });
  }),
  rule("E8N.15", "MUST", "omits price and balance value if the price is unknown", async (api) => {
    const rich = await priced(api);
    for (const path of [`${PATH}?currency=eur`, `${PATH}?currency=jpy&blockNumber=58`]) {
      const found = await balanceAt(rich, path);
      expect(["price" in found, "balanceValue" in found]).toEqual([false, false]);
    }
  }),
  rule("E8N.16", "MUST", "below /hosted prices are numbers with the same digits", async (api) => {
    const rich = await priced(api);
    const plain = await rich.get(`${PATH}?currency=jpy`);
    const hosted = await rich.get(`/hosted${PATH}?currency=jpy`);
    expect(hosted.text).toContain('"price":{"currencyCode":"jpy","value":0.00000012}');
    expect(hosted.text).toBe(plain.text.replace(/"value":"([^"]+)"/g, '"value":$1'));
  }),
];

/** Another stack whose C-Chain has a node of the test. */
const withNode = (api: Api, nodeUrl: string) => {
  const evmChains = api.config.evmChains.map((chain) => ({ ...chain, nodeUrl }));
  return api.restarted({ evmChains });
};

const NODE_RULES: readonly Rule[] = [
  rule(
    "E8N.17",
    "CHOICE",
    "returns 404 with the reason if the node does not have the state of the block",
    async (api) => {
      expect(await api.refusal(`${PATH}?blockNumber=30`)).toEqual([
        404,
        "the node of chain 760011 no longer has the state of block 30: only an archive node keeps it",
      ]);
    },
  ),
  rule("E8N.18", "MUST", "returns 503 without the node's address while the node is unavailable", async (api) => {
    await using away = await withNode(api, "http://user:secret@127.0.0.1:1/ext/key");
    expect(await away.refusal(PATH)).toEqual([503, "the node of chain 760011 does not respond"]);
  }),
  rule("E8N.19", "MUST", "returns 502 if the node's answer is not a balance", async (api) => {
    let answer = "";
    await using garbage = await listen((_, response) => response.end(answer));
    await using wrong = await withNode(api, garbage.url);
    for (answer of ["<html>secret</html>", '{"result":"0xzz"}', '{"result":12}', '{"result":null}', "[]"]) {
      const [status, message] = await wrong.refusal(PATH);
      expect([status, message]).toEqual([
        502,
        expect.stringMatching(/^the node of chain 760011 (responded|returned) /),
      ]);
      expect(message).not.toContain("secret");
    }
  }),
];

/** All rules of E8N, the balance route of EVM chains. */
export const NATIVE_BALANCE_RULES: readonly Rule[] = [
  ...CONTENT_RULES,
  ...PARAMETER_RULES,
  ...PRICE_RULES,
  ...NODE_RULES,
  ...chainIdRules("E8N", (chainId) => pathOf(chainId, WALLET)),
  ...everyRouteRules({
    id: "E8N",
    path: PATH,
    units: 20,
    statements: 1,
    parameter: { name: "blockNumber", good: "58", bad: "x" },
  }),
];
