import type { TestDatabase } from "../../../test/support/database/database.ts";
import { indexedAlpha } from "../../../test/support/indexed/indexed.ts";
import type { FactRow } from "../../../test/support/oracle/fact-row.ts";
import { indexedRows } from "../../../test/support/oracle/facts-rows.ts";
import { type RecordedAction, recordedActions } from "../../../test/support/recorded/recorded-actions.ts";

const CHAIN_IDS = { c: 760011, l1: 760012 } as const;
const TABLES = [
  "evm_transactions",
  "evm_logs",
  "erc20_transfers",
  "erc721_transfers",
  "erc1155_transfers",
  "evm_internal_transactions",
  "evm_deployments",
  "icm_events",
] as const;

type RowsOfOne = Readonly<Record<string, readonly FactRow[]>>;

/** By chain, transaction and table; rows in the order of logs and frames. */
const indexed = new Map<string, Record<string, FactRow[]>>();
let database: TestDatabase;

beforeAll(async () => {
  database = await indexedAlpha();
  // Rows of logs have the place of their transaction and not its hash.
  const hashes = new Map<string, string | null | undefined>();
  for (const [chain, chainId] of Object.entries(CHAIN_IDS))
    for (const table of TABLES)
      for (const row of (await indexedRows(database.pool, table, chainId)).sort(inOrder)) {
        const place = `${chain} ${row["block_number"]} ${row["block_index"]}`;
        if (table === "evm_transactions") hashes.set(place, row["tx_hash"]);
        const key = `${chain} ${hashes.get(place)}`;
        const rows = indexed.get(key) ?? Object.fromEntries(TABLES.map((name) => [name, []]));
        rows[table]?.push(row);
        indexed.set(key, rows);
      }
}, 90_000);
afterAll(() => database[Symbol.asyncDispose]());

const ORDER = ["log_index", "batch_index", "trace_index"];
const inOrder = (a: FactRow, b: FactRow): number =>
  ORDER.reduce((sum, column) => sum || Number(a[column] ?? 0) - Number(b[column] ?? 0), 0);

const of = (rows: RowsOfOne, table: (typeof TABLES)[number]): readonly FactRow[] => rows[table] ?? [];
const transactionIn = (rows: RowsOfOne): FactRow => of(rows, "evm_transactions")[0] ?? {};

/** The intended values of each key in the journal, and the same values from the rows of its transaction. */
const SAID: Readonly<Record<string, (rows: RowsOfOne) => unknown>> = {
  success: (rows) => transactionIn(rows)["tx_status"] === "1",
  type: (rows) => Number(transactionIn(rows)["tx_type"]),
  gasUsed: (rows) => Number(transactionIn(rows)["gas_used"]),
  contractAddress: (rows) => transactionIn(rows)["contract_address"],
  logs: (rows) => of(rows, "evm_logs").length,
  erc20: (rows) => of(rows, "erc20_transfers").map((row) => ({ ...sides(row), value: row["value"] })),
  erc721: (rows) => of(rows, "erc721_transfers").map((row) => ({ ...sides(row), tokenId: row["token_id"] })),
  erc1155: (rows) =>
    of(rows, "erc1155_transfers").map((row) => ({ ...sides(row), id: row["token_id"], value: row["value"] })),
  internal: (rows) =>
    of(rows, "evm_internal_transactions")
      .filter(({ opcode }) => opcode !== "SELFDESTRUCT")
      .map((row) => ({
        type: row["internal_tx_type"],
        from: row["from_address"],
        to: row["to_address"],
        value: row["value"],
        reverted: row["is_reverted"] === "true",
      })),
  destroyed: (rows) =>
    of(rows, "evm_internal_transactions")
      .filter(({ opcode }) => opcode === "SELFDESTRUCT")
      .map((row) => ({ from: row["from_address"], to: row["to_address"], value: row["value"] })),
  created: (rows) =>
    of(rows, "evm_deployments")
      .filter(({ trace_index }) => trace_index !== "0")
      .map(({ address }) => address),
  warp: (rows) => of(rows, "icm_events").filter(({ event }) => event === "SendWarpMessage").length,
  interchain: (rows) =>
    of(rows, "icm_events")
      .filter(({ event }) => event !== "SendWarpMessage")
      .map((row) => ({ event: row["event"], messageId: row["message_id"], chain: row["blockchain_id"] })),
};

function sides(row: FactRow) {
  return { token: row["token_address"], from: row["from_address"], to: row["to_address"] };
}

/** Keys without rows. A failure is a status, and calls without value are not stored. */
const NOT_INDEXED: readonly string[] = [
  "error",
  "revertReason",
  "innerErrors",
  // Counts of all frames, including STATICCALL and DELEGATECALL.
  "frames",
  "frameCount",
  "depth",
];

/** Actions whose rows differ from the journal by an indexing rule. */
const RULES: Readonly<Record<string, (expected: unknown, action: RecordedAction) => unknown>> = {
  /** SELFDESTRUCT without value is not an internal transaction. */
  destroyed: (expected) => (expected as { value: string }[]).filter(({ value }) => value !== "0"),
  /** A creation without code is not a deployment. */
  created: (expected, { label }) => (label === "evm-creates: CREATE of nothing" ? [] : expected),
  /** An event with four topics is ERC-721's for any data (docs/behaviour/token-transfers.md). */
  erc721: (expected, { label }) => (label === FOUR_TOPICS ? [expect.objectContaining({ tokenId: "2" })] : expected),
  /** The journal has "at least one" for the four creations that fail within a transaction: there are two. */
  logs: (expected) => (typeof expected === "object" ? 2 : expected),
  /** Events without a message are not messages. */
  interchain: (expected) =>
    (expected as { event: string }[]).filter(
      ({ event }) => event !== "BlockchainIDInitialized" && event !== "RelayerRewardsRedeemed",
    ),
};
const FOUR_TOPICS = "evm-log: Transfer with four topics and data";

/** Creations whose receipt names an address without code: they failed, had no code, or destroyed themselves. */
const LEAVES_NOTHING = [
  "evm-creation of nothing",
  "evm-creation of nothing with value",
  "evm-creation that destroys itself",
  "evm-fails: creation with an invalid opcode",
  "evm-fails: creation of code starting with 0xef",
  "evm-fails: creation of too much code",
  "evm-fails: creation that reverts with value",
  "evm-fails: creation out of gas for its code",
  "evm-fails: constructor reverts",
];

const actions = (["c", "l1"] as const).flatMap(recordedActions);

describe.each(["c", "l1"] as const)(
  "the actions on the recorded chain %s are indexed with the expected rows",
  (chain) => {
    const named = recordedActions(chain).map((action, i) => ({ ...action, name: `${i + 1} ${action.label}` }));

    it.each(named)("$name ($meaning)", (action) => {
      const rows = indexed.get(`${chain} ${action.txID}`) ?? {};
      const claims = Object.entries(action.expected).filter(([key]) => !NOT_INDEXED.includes(key));
      const actual = claims.map(([key]) => [key, SAID[key]?.(rows)]);
      expect(of(rows, "evm_transactions")).toHaveLength(1);
      expect(actual).toEqual(claims.map(([key, expected]) => [key, RULES[key]?.(expected, action) ?? expected]));
    });

    it.each(LEAVES_NOTHING)("%s is not a deployment", (label) => {
      const action = named.find((one) => one.label === label);
      const rows = indexed.get(`${chain} ${action?.txID}`) ?? {};
      expect(transactionIn(rows)).toMatchObject({ to_address: null, contract_address: expect.stringMatching(/^0x/) });
      expect(of(rows, "evm_deployments")).toEqual([]);
    });

    it("every other transaction with a contract in the journal deployed that contract", () => {
      const others = named.filter(
        ({ label, expected }) => expected["contractAddress"] && !LEAVES_NOTHING.includes(label),
      );
      expect(others.length).toBeGreaterThan(60);
      for (const { txID, expected } of others)
        expect(of(indexed.get(`${chain} ${txID}`) ?? {}, "evm_deployments")).toContainEqual(
          expect.objectContaining({ address: expected["contractAddress"], trace_index: "0" }),
        );
    });
  },
);

it("every key of the journal has rows, or is listed as one without rows", () => {
  const keys = new Set(actions.flatMap(({ expected }) => Object.keys(expected)));
  expect([...keys].sort()).toEqual([...Object.keys(SAID), ...NOT_INDEXED].sort());
});
