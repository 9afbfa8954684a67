import { formatAddress } from "../../core/formats/bech32.ts";
import { ALPHA } from "../../recordings/replay-node.ts";
import { nodeBalances, type Sums, together } from "../support/recorded/node-balances.ts";
import { readSnapshots } from "../support/recorded/primary-recording.ts";
import type { Api } from "./api.ts";
import { everyRouteRules } from "./every-route.ts";
import { blockchainRules, CHAIN_NAMES, networkRules } from "./primary-network.ts";
import { type Rule, rule } from "./rule.ts";

const barePathOf = (blockchainId: string, network = "fuji"): string =>
  `/v1/networks/${network}/blockchains/${blockchainId}/balances`;
/** Two owners with many outputs on every chain. */
const OWNER = "custom1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zk50dr9";
const OTHER = "custom1n00p549qkx67aqelx2mvle8nxme3efqkuzxlzu";
const NOBODY = formatAddress({ chain: null, prefix: "custom", address: "00".repeat(20) });
const pathOf = (blockchainId: string, addresses = OWNER, network = "fuji"): string =>
  `${barePathOf(blockchainId, network)}?addresses=${addresses}`;
const P = pathOf("p-chain");
const X = pathOf("x-chain");
const C = pathOf("c-chain");

interface Balance {
  readonly assetId: string;
  readonly amount: string;
  readonly utxoCount: number;
  readonly [field: string]: unknown;
}
type Balances = Readonly<Record<string, readonly Balance[]>>;

const OUTPUTS = [
  "unlockedUnstaked",
  "unlockedStaked",
  "lockedPlatform",
  "lockedStakeable",
  "lockedStaked",
  "pendingStaked",
];
const EXPORTS = ["atomicMemoryUnlocked", "atomicMemoryLocked"];

const balances = async (api: Api, path: string): Promise<Balances> =>
  (await api.body<{ balances: Balances }>(path)).balances;

const sums = (list: readonly Balance[] = []): Sums =>
  Object.fromEntries(list.map(({ assetId, amount, utxoCount }) => [assetId, [amount, utxoCount]]));

/** The last snapshot, and the addresses in its requests. */
const END = readSnapshots(ALPHA).at(-1) as ReturnType<typeof readSnapshots>[number];
const ADDRESSES = END.answers("platform.getStake")
  .map(({ params }) => params["addresses"] as string[])
  .filter(({ length }) => length === 1)
  .map(([address = ""]) => address.slice("P-".length));

const headOf = async ({ pool }: Api, chain: string): Promise<number> => {
  const text = "SELECT block_timestamp AS time FROM primary_heads WHERE chain = $1";
  return Number((await pool.query<{ time: string }>(text, [chain])).rows[0]?.time);
};

const CONTENT_RULES: readonly Rule[] = [
  rule("E8.1", "MUST", "P-Chain balances of every address equal the node's, by stake and lock", async (api) => {
    const node = nodeBalances(END);
    const time = await headOf(api, "P");
    expect(ADDRESSES.length).toBeGreaterThan(10);
    for (const address of ADDRESSES) {
      const found = await balances(api, `${pathOf("p-chain", address)}&blockTimestamp=${time}`);
      const own = node.outputs("P", null, [`P-${address}`], time);
      const staked = node.staked([`P-${address}`], time);
      expect([address, ...OUTPUTS.map((name) => sums(found[name]))]).toEqual([
        address,
        own.free,
        staked.free,
        own.locked,
        own.stakeable,
        together(staked.stakeable, staked.locked),
        {},
      ]);
    }
  }),
  rule("E8.2", "MUST", "X-Chain balances of every address equal the node's, with nothing staked", async (api) => {
    const node = nodeBalances(END);
    const time = await headOf(api, "X");
    for (const address of ADDRESSES) {
      const found = await balances(api, `${pathOf("x-chain", address)}&blockTimestamp=${time}`);
      const { free, locked } = node.outputs("X", null, [`X-${address}`], time);
      expect([address, ...OUTPUTS.map((name) => sums(found[name]))]).toEqual([address, free, {}, locked, {}, {}, {}]);
    }
  }),
  rule("E8.3", "MUST", "C-Chain balances have atomic memory only and equal the node's", async (api) => {
    const node = nodeBalances(END);
    const now = api.nowSeconds;
    let count = 0;
    for (const address of ADDRESSES) {
      const found = await balances(api, pathOf("c-chain", address));
      expect(Object.keys(found)).toEqual(EXPORTS);
      for (const [chain, id] of [
        ["P", CHAIN_NAMES.P[1]],
        ["X", CHAIN_NAMES.X[1]],
      ] as const) {
        const [free, locked] = EXPORTS.map((name) =>
          sums((found[name] as readonly Balance[]).filter((one) => one["sharedWithChainId"] === id)),
        );
        const theirs = node.outputs(chain, "C", [`${chain}-${address}`], now);
        expect([address, free, locked]).toEqual([address, theirs.free, theirs.locked]);
        count += Object.keys(theirs.free).length;
      }
    }
    expect(count).toBeGreaterThan(1);
  }),
  rule(
    "E8.4",
    "CHOICE",
    "returns every list, even if empty; atomic memory has the status pendingExport",
    async (api) => {
      for (const path of [P, X]) expect(Object.keys(await balances(api, path))).toEqual([...OUTPUTS, ...EXPORTS]);
      const shared = new Set<string>();
      for (const address of ADDRESSES)
        for (const chain of ["P", "X", "C"] as const) {
          const found = await balances(api, pathOf(CHAIN_NAMES[chain][0], address));
          for (const one of EXPORTS.flatMap((name) => found[name] ?? [])) {
            expect(one).toMatchObject({ status: "pendingExport", type: "secp256k1", utxoCount: expect.any(Number) });
            shared.add(`${chain} ${one["sharedWithChainId"]}`);
          }
        }
      expect(shared.size).toBe(6);
    },
  ),
  rule("E8.5", "MUST", "describes each asset as at its creation, AVAX first", async (api) => {
    const created = new Map(
      api.primary.X.filter(({ txType }) => txType === "CreateAssetTx").map(({ txHash, json }) => [txHash, json]),
    );
    const found = await balances(api, X);
    const [avax, ...others] = found["unlockedUnstaked"] ?? [];
    expect(avax).toMatchObject({ name: "Avalanche", symbol: "AVAX", denomination: 9, type: "secp256k1" });
    expect(others.length).toBeGreaterThan(1);
    for (const { assetId, name, symbol, denomination } of others) {
      const json = created.get(assetId);
      expect([name, symbol, denomination]).toEqual([json?.["name"], json?.["symbol"], Number(json?.["denomination"])]);
    }
  }),
  rule(
    "E8.6",
    "MUST",
    "accepts addresses separated by commas, and counts an output that several of them own once",
    async (api) => {
      const everybody = END.answers("platform.getStake")
        .map(({ params }) => params["addresses"] as string[])
        .find(({ length }) => length > 1) as string[];
      const time = await headOf(api, "P");
      const list = everybody.join("%2C");
      const found = await balances(api, `${pathOf("p-chain", list)}&blockTimestamp=${time}`);
      const { free, locked, stakeable } = nodeBalances(END).outputs("P", null, everybody, time);
      const ours = ["unlockedUnstaked", "lockedPlatform", "lockedStakeable"].map((name) => sums(found[name]));
      expect(ours).toEqual([free, locked, stakeable]);
      const alone = await Promise.all(everybody.map((address) => balances(api, pathOf("p-chain", address))));
      const added = together(...alone.map((one) => sums(one["unlockedUnstaked"])));
      const count = (all: Sums) => Object.values(all).reduce((sum, [, utxos]) => sum + utxos, 0);
      expect(count(added)).toBeGreaterThan(count(free));
    },
  ),
  rule("E8.7", "MUST", "accepts addresses with P-, X- or C- on any chain", async (api) => {
    const { text } = await api.get(pathOf("p-chain", `${OWNER},${OTHER}`));
    for (const same of [`P-${OWNER},X-${OTHER}`, `C-${OTHER},${OWNER}`, `${OWNER.toUpperCase()},%20${OTHER},${OWNER}`])
      expect((await api.get(pathOf("p-chain", same))).text).toBe(text);
  }),
  rule("E8.8", "CHOICE", "returns empty lists for an address that owns nothing", async (api) => {
    for (const chain of ["P", "X", "C"] as const) {
      const lists = Object.values(await balances(api, pathOf(CHAIN_NAMES[chain][0], NOBODY)));
      expect(lists.flat()).toEqual([]);
    }
  }),
];

const PARAMETER_RULES: readonly Rule[] = [
  rule("E8.9", "CHOICE", "refuses a request without addresses with 400", async (api) => {
    for (const query of ["", "?addresses=", "?blockTimestamp=1"])
      expect(await api.refusal(barePathOf("p-chain") + query)).toEqual([400, "addresses must be given"]);
  }),
  rule("E8.10", "MUST", "refuses EVM addresses and addresses of other networks with 400", async (api) => {
    for (const alias of ["p-chain", "x-chain", "c-chain"])
      for (const bad of [`0x${"12".repeat(20)}`, "x", "fuji1x5kfzzug3dhx2epxx76cvh5jq7z8xw9zcjl8pk", `Q-${OWNER}`])
        expect(await api.refusal(pathOf(alias, `${OWNER},${bad}`))).toEqual([
          400,
          expect.stringMatching(/^addresses m.+, got "/),
        ]);
  }),
  rule(
    "E8.11",
    "MUST",
    "blockTimestamp gives the balances of that time, including blocks of that second",
    async (api) => {
      const { pool } = api;
      const { rows } = await pool.query<{ time: string }>(
        `SELECT DISTINCT t.block_timestamp AS time FROM primary_address_transactions t JOIN primary_transactions USING (network_id, chain, tx_seq)
       WHERE t.chain = 'X' AND t.address = (SELECT address FROM primary_address_transactions WHERE chain = 'X' GROUP BY address
         ORDER BY count(*) DESC LIMIT 1) ORDER BY time LIMIT 20`,
      );
      expect(rows).toHaveLength(20);
      const genesis = Number(
        (await pool.query("SELECT genesis_timestamp FROM primary_networks")).rows[0].genesis_timestamp,
      );
      for (const path of [P, X]) {
        expect(Object.values(await balances(api, `${path}&blockTimestamp=${genesis - 1}`)).flat()).toEqual([]);
        expect(sums((await balances(api, `${path}&blockTimestamp=${genesis}`))["unlockedUnstaked"])).not.toEqual({});
      }
      const texts = new Set<string>();
      for (const { time } of rows) texts.add((await api.get(`${X}&blockTimestamp=${time}`)).text);
      expect(texts.size).toBeGreaterThan(3);
    },
  ),
  rule(
    "E8.12",
    "CHOICE",
    "refuses a blockTimestamp after the last confirmed time with 400 and names that time",
    async (api) => {
      // All chains have reached their node's head, so each is confirmed up to the last block of any of them.
      const head = Math.max(...(await Promise.all(["P", "X", "C"].map((chain) => headOf(api, chain)))));
      for (const [chain, path] of Object.entries({ P, X, C })) {
        expect((await api.get(`${path}&blockTimestamp=${head}`)).status).toBe(200);
        for (const beyond of [head + 1, 2n ** 63n, 10n ** 77n])
          expect(await api.refusal(`${path}&blockTimestamp=${beyond}`)).toEqual([
            400,
            `blockTimestamp must be at most ${head}, the time up to which ${chain.toLowerCase()}-chain of fuji is indexed, got ${beyond}`,
          ]);
      }
    },
  ),
  rule("E8.13", "MUST", "refuses a blockTimestamp that is not a non-negative integer with 400", async (api) => {
    for (const bad of ["-1", "1.5", "1e9", "now"])
      expect(await api.refusal(`${P}&blockTimestamp=${bad}`)).toEqual([
        400,
        `blockTimestamp must be a non-negative integer, got "${bad}"`,
      ]);
  }),
  rule(
    "E8.14",
    "CHOICE",
    "without blockTimestamp returns balances after the last block, with locks compared with the clock",
    async (api) => {
      const { rows } = await api.pool.query<{ lock: string; address: string }>(
        `SELECT stakeable_locktime AS lock, encode(addresses[1], 'hex') AS address FROM utxos
       WHERE chain = 'P' AND role = 'GENESIS' AND consumed_timestamp IS NULL AND stakeable_locktime > 0 LIMIT 1`,
      );
      const [{ lock, address } = { lock: "", address: "" }] = rows;
      const path = pathOf("p-chain", formatAddress({ chain: null, prefix: "custom", address }));
      const at = async (seconds: number) => {
        let counts = [0, 0];
        await api.atTime(seconds * 1_000, async () => {
          const { lockedStakeable = [], unlockedUnstaked = [] } = await balances(api, path);
          counts = [lockedStakeable, unlockedUnstaked].map((list) =>
            list.reduce((count, { utxoCount }) => count + utxoCount, 0),
          );
        });
        return counts as [number, number];
      };
      const before = await at(Number(lock) - 1);
      const after = await at(Number(lock));
      expect(after[0]).toBeLessThan(before[0]);
      expect(after[1] - before[1]).toBe(before[0] - after[0]);
    },
  ),
];

const DIALECT_RULES: readonly Rule[] = [
  rule("E8.D7", "CHOICE", "the X-Chain's balances are four lists in the hosted dialect", async (api) => {
    for (const address of ADDRESSES) {
      const path = pathOf("x-chain", address);
      const { unlockedUnstaked, lockedPlatform, atomicMemoryUnlocked, atomicMemoryLocked } = await balances(api, path);
      expect((await api.get(`/hosted${path}`)).body).toEqual({
        balances: { locked: lockedPlatform, unlocked: unlockedUnstaked, atomicMemoryUnlocked, atomicMemoryLocked },
        chainInfo: { chainName: "x-chain", network: "fuji" },
      });
    }
    for (const same of [P, C]) expect((await api.get(`/hosted${same}`)).text).toBe((await api.get(same)).text);
  }),
];

/** All rules of E8. */
export const PRIMARY_BALANCE_RULES: readonly Rule[] = [
  ...CONTENT_RULES,
  ...PARAMETER_RULES,
  ...DIALECT_RULES,
  ...networkRules("E8", (network) => pathOf("p-chain", OWNER, network)),
  ...blockchainRules("E8", (blockchainId) => pathOf(blockchainId)),
  ...everyRouteRules({
    id: "E8",
    path: barePathOf("p-chain"),
    query: `addresses=${OWNER}`,
    units: 100,
    statements: 2,
    parameter: { name: "blockTimestamp", good: "1795252300", bad: "x" },
  }),
];
