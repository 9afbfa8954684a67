import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { scansOf } from "../../../test/support/database/plans.ts";
import { COUNT_LIMIT, countStatement, type ListSelect, selectOf, totalOf } from "../../shared/rows/list-reader.ts";
import { OF_ADDRESS as ERC20_TRANSFERS } from "../erc20-transfers/store.ts";
import { OF_ADDRESS as ERC721_TRANSFERS } from "../erc721-transfers/store.ts";
import { OF_ADDRESS as ERC1155_TRANSFERS } from "../erc1155-transfers/store.ts";
import { OF_MESSAGE as ICM_EVENTS, FIRST as ICM_FIRST } from "../icm-events/store.ts";
import { OF_ADDRESS as INTERNAL_TRANSACTIONS } from "../internal-transactions/store.ts";

const CHAIN = 7;
const ROWS = 20_000;
const PAGE_SIZE = 10;
const MAX_BIGINT = "9223372036854775807";

/** One wallet that only sends to itself, and one that sends, receives and sends to itself by turns. */
const SELF = "aa".repeat(20);
const MIXED = "bb".repeat(20);
const MIXED_ROWS = 60;
const MESSAGE = "cc".repeat(32);

const OTHER = "'\\xdd'";
const mixed = `'\\x${MIXED}'`;
const senderOf = `CASE WHEN n > ${MIXED_ROWS} THEN '\\x${SELF}'::bytea WHEN n % 3 = 0 THEN ${OTHER} ELSE ${mixed} END`;
const recipientOf = `CASE WHEN n > ${MIXED_ROWS} THEN '\\x${SELF}'::bytea WHEN n % 3 = 1 THEN ${OTHER} ELSE ${mixed} END`;

interface List {
  readonly name: string;
  readonly table: string;
  readonly statement: ListSelect;
  /** Columns of the order after the block number. */
  readonly indexes: readonly string[];
  /** Further columns without a default, and their values. */
  readonly filling: Readonly<Record<string, string>>;
}

const TOKEN = { token_address: "'\\x00'", token_id: "1" };
const LISTS: readonly List[] = [
  {
    name: "E9",
    table: "erc20_transfers",
    statement: ERC20_TRANSFERS,
    indexes: ["log_index"],
    filling: { block_index: "0", token_address: "'\\x00'", value: "1" },
  },
  {
    name: "ERC-721 transfers",
    table: "erc721_transfers",
    statement: ERC721_TRANSFERS,
    indexes: ["log_index"],
    filling: { block_index: "0", ...TOKEN },
  },
  {
    name: "ERC-1155 transfers",
    table: "erc1155_transfers",
    statement: ERC1155_TRANSFERS,
    indexes: ["log_index", "batch_index"],
    filling: { block_index: "0", operator_address: "'\\x00'", value: "1", ...TOKEN },
  },
  {
    name: "E10",
    table: "evm_internal_transactions",
    statement: INTERNAL_TRANSACTIONS,
    indexes: ["block_index", "trace_index"],
    filling: {
      internal_tx_type: "'CALL'",
      opcode: "'CALL'",
      value: "1",
      is_reverted: "false",
      gas_used: "0",
      gas_limit: "0",
    },
  },
];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  for (const list of LISTS) await fill(list, "TRUE", {});
  const [internals] = LISTS.filter(({ name }) => name === "E10");
  // Newer than the wallet's calls.
  if (internals)
    await fill(internals, `n > ${MIXED_ROWS}`, { block_number: `n + ${ROWS}`, internal_tx_type: "'UNKNOWN'" });
  await database.pool.query(`CREATE TABLE icm_events_${CHAIN} PARTITION OF icm_events FOR VALUES IN (${CHAIN})`);
  await database.pool.query(
    `INSERT INTO icm_events (chain_id, block_number, log_index, block_index, block_timestamp, tx_hash, event, direction,
       message_id, messenger_address)
     SELECT ${CHAIN}, n, 0, 0, n, int4send(n), 'any', CASE WHEN n = ${ROWS} THEN 'DESTINATION_TRANSACTION' END,
       '\\x${MESSAGE}', '\\x00' FROM generate_series(1, ${ROWS}) n`,
  );
  await database.pool.query("VACUUM ANALYZE");
});
afterAll(() => database[Symbol.asyncDispose]());

async function fill({ table, indexes, filling }: List, where: string, replaced: Record<string, string>): Promise<void> {
  const values = {
    chain_id: `${CHAIN}`,
    block_number: "n",
    block_timestamp: "n",
    block_hash: "'\\x00'",
    tx_hash: "int4send(n)",
    from_address: senderOf,
    to_address: recipientOf,
    ...Object.fromEntries(indexes.map((column) => [column, "0"])),
    ...filling,
    ...replaced,
  };
  await database.pool.query(
    `CREATE TABLE IF NOT EXISTS ${table}_${CHAIN} PARTITION OF ${table} FOR VALUES IN (${CHAIN})`,
  );
  await database.pool.query(
    `INSERT INTO ${table} (${Object.keys(values).join(", ")})
     SELECT ${Object.values(values).join(", ")} FROM generate_series(1, ${ROWS}) n WHERE ${where}`,
  );
}

/** `beside` is the number of the block that the page follows. */
function parametersOf(list: List, wallet: string, beside: string, rows: number, isBackward: boolean): unknown[] {
  const indexes = list.indexes.map(() => 0);
  const range = isBackward ? [MAX_BIGINT, rows, 0] : [0, rows, MAX_BIGINT];
  return [CHAIN, `\\x${wallet}`, beside, ...indexes, ...(list.name === "E10" ? range : range.slice(0, 2))];
}

/** The blocks of all rows of a wallet, page by page, in the order in which they are read. */
async function read(list: List, size: number, isBackward: boolean): Promise<string[]> {
  const found: string[] = [];
  for (let beside = isBackward ? "-1" : MAX_BIGINT; ; ) {
    const values = parametersOf(list, MIXED, beside, size + 1, isBackward);
    const { rows } = await database.pool.query(selectOf(list.statement, isBackward), values);
    const page = rows.slice(0, size).map(({ blockNumber }) => String(blockNumber));
    found.push(...page);
    if (rows.length <= size) return found;
    beside = page.at(-1) ?? "";
  }
}

describe.each(LISTS)("$name by address", (list) => {
  it.each([
    ["forward", MAX_BIGINT, false],
    ["forward", "10000", false],
    ["backward", "-1", true],
    ["backward", "10000", true],
  ])(
    "reads one range of an index for each side, also of a wallet that only sends to itself: %s from %s",
    async (_, from, isBackward) => {
      const values = parametersOf(list, SELF, from, PAGE_SIZE + 1, isBackward);
      const scans = (await scansOf(database.pool, selectOf(list.statement, isBackward), values)).filter(({ table }) =>
        table.startsWith(list.table),
      );
      expect(scans).toHaveLength(2);
      for (const { kind, rows, removed } of scans) {
        expect(kind).toBe("Index Scan");
        expect(rows).toBeLessThanOrEqual(PAGE_SIZE + 1);
        // Almost all rows are of the wallet, so PostgreSQL may read all of them.
        expect(removed).toBeLessThanOrEqual(MIXED_ROWS);
      }
    },
  );

  it("is counted up to 1,000 rows, without reading more of a longer list", async () => {
    const values = parametersOf(list, SELF, MAX_BIGINT, COUNT_LIMIT, false);
    const counted = countStatement(selectOf(list.statement, false));
    const { rows } = await database.pool.query(counted, values);
    expect(rows).toEqual([{ count: COUNT_LIMIT }]);
    expect(totalOf(COUNT_LIMIT)).toEqual({ count: "1000", isExact: false });
    const scans = (await scansOf(database.pool, counted, values)).filter(({ table }) => table.startsWith(list.table));
    for (const { rows, removed } of scans) expect(rows + removed).toBeLessThanOrEqual(COUNT_LIMIT);
  });

  it.each([1, 2, 7, 100])("lists each row once, in order and in the opposite order, with %d a page", async (size) => {
    const newestFirst = Array.from({ length: MIXED_ROWS }, (_, i) => String(MIXED_ROWS - i));
    expect(await read(list, size, false)).toEqual(newestFirst);
    expect(await read(list, size, true)).toEqual(newestFirst.reverse());
  });
});

describe("events of an interchain message", () => {
  it("are read by one range of an index, however many the message has", async () => {
    for (const isBackward of [false, true]) {
      const position = isBackward ? [MAX_BIGINT, 0, 0, 0] : [0, 0, 0, 0];
      const values = [CHAIN, `\\x${MESSAGE}`, ...position, PAGE_SIZE + 1, isBackward ? 0 : MAX_BIGINT];
      expect(await scansOf(database.pool, selectOf(ICM_EVENTS, isBackward), values)).toEqual([
        { table: `icm_events_${CHAIN}`, kind: "Index Scan", rows: PAGE_SIZE + 1, removed: 0 },
      ]);
    }
  });

  it("that receive the message are found by one read of an index, behind any number of other events", async () => {
    const values = [CHAIN, [`\\x${MESSAGE}`], ["DESTINATION_TRANSACTION"]];
    expect(await scansOf(database.pool, ICM_FIRST, values)).toEqual([
      { table: `icm_events_${CHAIN}`, kind: "Index Scan", rows: 1, removed: 0 },
    ]);
  });
});
