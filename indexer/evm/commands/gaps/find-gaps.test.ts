import { createTestDatabase, type TestDatabase } from "../../../../test/support/database/database.ts";
import { dumpRawBlocks, dumpRawTraces, hashTables } from "../../../../test/support/database/tables.ts";
import { sampled } from "../../../../test/support/full.ts";
import {
  ALL_BLOCKS,
  C_CHAIN,
  type CommandChain,
  prunedTraces,
  startCommandChain,
} from "../../../../test/support/indexed/command-chain.ts";
import { indexedAlpha } from "../../../../test/support/indexed/indexed.ts";
import { FAULTS, type Fault } from "../../../../test/support/node/faults.ts";
import { tryBecomeWriter } from "../../../shared/writer.ts";
import type { Gap } from "../../compare/gap.ts";
import type { Table } from "../../decode/tables.ts";
import type { HoldingTable } from "../../store/tables.ts";
import { backfillTraces } from "../backfill.ts";
import { type CommandDeps, CommandRefused } from "../command.ts";
import { replayChain } from "../replay.ts";
import { findGaps } from "./find-gaps.ts";
import { gapsReport } from "./report.ts";

let chain: CommandChain;
beforeAll(async () => {
  chain = await startCommandChain();
});
afterAll(() => chain[Symbol.asyncDispose]());

describe("moraine gaps", () => {
  // Each test reverses its changes.
  let database: TestDatabase;
  let command: CommandDeps & AsyncDisposable;
  let wholeMessages: readonly unknown[];
  beforeAll(async () => {
    database = await indexedAlpha();
    command = chain.commandOn(database);
    wholeMessages = await messages();
  });
  afterAll(async () => {
    await command[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  /** Changes of the rows of each table that blocks are decoded into. A table without a change does not compile. */
  const CHANGES: Readonly<Record<Table | "erc20_balances", readonly string[]>> = {
    evm_blocks: ["fees_spent = fees_spent + 1", "cumulative_transactions = cumulative_transactions + 1"],
    evm_transactions: ["nonce = nonce + 1"],
    evm_logs: ["data = data || '\\x00'"],
    erc20_transfers: ["value = value + 7"],
    erc721_transfers: ["token_id = token_id + 1"],
    erc1155_transfers: ["value = value + 1"],
    icm_events: ["required_gas_limit = coalesce(required_gas_limit, 0) + 1"],
    evm_ext_data: ["ext_data = ext_data || '\\x00'"],
    evm_internal_transactions: ["is_reverted = NOT is_reverted"],
    evm_failures: ["error = error || '!'", "output = coalesce(output, '') || '\\x00'"],
    evm_deployments: ["opcode = 'CREATE3'", "implementation_address = coalesce(implementation_address, '\\x00')"],
    evm_proxy_upgrades: ["kind = 'BEACON'", "implementation_address = '\\x00'"],
    erc20_balances: ["balance = balance + 7"],
  };
  const CHANGED_TABLES = Object.keys(CHANGES) as (Table | "erc20_balances")[];

  const gapsOf = async (repair: boolean): Promise<readonly Gap[]> => (await findGaps(command, repair)).gaps;
  const placesOf = (gaps: readonly Gap[]) => gaps.map(({ table, blockNumber }) => [table, blockNumber]);
  /** Blocks, in order, of the rows that a statement changed. */
  async function changed(statement: string): Promise<number[]> {
    const { rows } = await database.pool.query<{ block_number: string }>(`${statement} RETURNING block_number`, [
      C_CHAIN,
    ]);
    const numbers = [...new Set(rows.map(({ block_number }) => Number(block_number)))];
    expect(numbers.length).toBeGreaterThan(0);
    return numbers.sort((one, other) => one - other);
  }

  const messages = async () =>
    (await database.pool.query("SELECT * FROM icm_messages ORDER BY message_id")).rows as unknown[];

  /** Expects the original rows, and no gaps. */
  async function expectWhole(): Promise<void> {
    expect(await gapsOf(false)).toEqual([]);
    await chain.expectWholeRows(database);
    expect(await messages()).toEqual(wholeMessages);
  }

  it("says that no block is indexed", async () => {
    await using empty = await createTestDatabase();
    await using onEmpty = chain.commandOn(empty);
    const lines: string[] = [];
    expect((await findGaps({ ...onEmpty, report: (line) => lines.push(line) }, false)).gaps).toEqual([]);
    expect(lines).toEqual([expect.stringMatching(/^chain \d+: no block is indexed$/)]);
  });

  it.each(sampled(CHANGED_TABLES, 2))("finds and replaces missing rows of %s", async (table) => {
    const numbers = await changed(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number % 3 = 1`);
    expect(placesOf(await gapsOf(false))).toEqual(numbers.map((number) => [table, number]));
    expect((await gapsOf(true)).every(({ isRepaired }) => isRepaired)).toBe(true);
    await expectWhole();
  });

  it.each(
    sampled(
      CHANGED_TABLES.flatMap((table) => CHANGES[table].map((change) => [table, change] as const)),
      2,
    ),
  )("finds and replaces wrong rows of %s (%s)", async (table, change) => {
    const numbers = await changed(`UPDATE ${table} SET ${change} WHERE chain_id = $1 AND block_number % 3 = 1`);
    const gaps = await gapsOf(false);
    expect(placesOf(gaps)).toEqual(numbers.map((number) => [table, number]));
    expect(gaps.every(({ wrong, expected, found }) => wrong > 0 && expected === found)).toBe(true);
    await gapsOf(true);
    await expectWhole();
  });

  it.each(
    sampled(
      [
        "balance = balance + 1",
        "max_block_number = max_block_number + 1",
        "past_balances = past_balances || 1::numeric",
        "max_end_block_number = coalesce(max_end_block_number, 0) + 1",
        "second_balance = coalesce(second_balance, 0) + 1",
      ] as const,
      2,
    ),
  )("finds and replaces surplus and wrong rows of erc20_holders (%s)", async (change) => {
    const rows = (await chain.rowsOf(database, "erc20_holders")).length;
    await database.pool.query(
      `UPDATE erc20_holders SET ${change} WHERE chain_id = $1 AND holder_id = (SELECT max(holder_id) FROM erc20_holders WHERE chain_id = $1)`,
      [C_CHAIN],
    );
    await database.pool.query(
      "INSERT INTO erc20_holders VALUES ($1, '', '', 1, 1, 1, 1, 1, NULL, NULL, NULL, NULL, -1)",
      [C_CHAIN],
    );
    const gap = { table: "erc20_holders", blockNumber: null, expected: rows, found: rows + 1, wrong: 2 };
    expect(await gapsOf(false)).toEqual([{ ...gap, isRepaired: false }]);
    expect(await gapsOf(true)).toEqual([{ ...gap, isRepaired: true }]);
    await expectWhole();
  });

  it.each([
    ["without a holder", "DELETE FROM erc20_holders WHERE chain_id = $1 AND holder_id % 3 = 1"],
    [
      "with a wrong holder",
      "UPDATE erc20_holders SET address = '\\x' WHERE chain_id = $1 AND holder_id = (SELECT min(holder_id) FROM erc20_holders WHERE chain_id = $1)",
    ],
  ])("finds and replaces balances %s", async (_what, damage) => {
    expect((await database.pool.query(damage, [C_CHAIN])).rowCount).toBeGreaterThan(0);
    const gaps = await gapsOf(false);
    expect(new Set(gaps.map(({ table }) => table))).toEqual(new Set(["erc20_balances"]));
    expect(gaps.every(({ wrong }) => wrong > 0)).toBe(true);
    await gapsOf(true);
    await expectWhole();
  });

  /** Changes of the rows of each table that is computed from balances and transfers. A table without a change does not compile. */
  const HOLDING_CHANGES: Readonly<Record<Exclude<HoldingTable, "erc20_holders">, readonly string[]>> = {
    erc20_supplies: ["holder_count = holder_count + 1"],
    erc20_counts: ["transfer_count = transfer_count + 1", "holder_count = holder_count + 1"],
    nft_holdings: ["token_id = token_id + 1000"],
    nft_item_balances: ["balance = balance + 1", "block_number = block_number + 1"],
    nft_holders: ["balance = balance + 1"],
    nft_collection_balances: ["balance = balance - 1"],
    nft_supplies: ["total_supply = total_supply - 1"],
    nft_counts: ["transfer_count = transfer_count - 1", "holder_count = holder_count + 1"],
    erc1155_supplies: ["total_supply = total_supply + 1", "holder_count = 0"],
  };

  it.each(
    sampled(
      (Object.keys(HOLDING_CHANGES) as (keyof typeof HOLDING_CHANGES)[]).flatMap((table) =>
        HOLDING_CHANGES[table].map((change) => [table, change] as const),
      ),
      4,
    ),
  )("finds and replaces missing and wrong rows of %s (%s)", async (table, change) => {
    const rows = (await chain.rowsOf(database, table)).length;
    const first = `ctid = (SELECT min(ctid) FROM ${table} WHERE chain_id = $1)`;
    await database.pool.query(`DELETE FROM ${table} WHERE chain_id = $1 AND ${first}`, [C_CHAIN]);
    await database.pool.query(`UPDATE ${table} SET ${change} WHERE chain_id = $1 AND ${first}`, [C_CHAIN]);
    const gap = { table, blockNumber: null, expected: rows, found: rows - 1, wrong: 1 };
    expect(await gapsOf(false)).toEqual([{ ...gap, isRepaired: false }]);
    expect(await gapsOf(true)).toEqual([{ ...gap, isRepaired: true }]);
    await expectWhole();
  });

  it("finds and replaces counters that are wrong together with the transfers and holders that they count", async () => {
    for (const table of ["erc20_transfers", "erc721_transfers", "erc1155_transfers", "erc20_balances"])
      await changed(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number % 2 = 1`);
    for (const table of [
      "erc20_counts",
      "nft_counts",
      "erc1155_supplies",
      "nft_holdings",
      "nft_item_balances",
      "nft_holders",
      "nft_collection_balances",
    ])
      expect((await database.pool.query(`DELETE FROM ${table} WHERE chain_id = $1`, [C_CHAIN])).rowCount).not.toBe(0);
    await gapsOf(true);
    await expectWhole();
  });

  const MESSAGE_CHANGES = [
    "state = 'FAILED'",
    "message_timestamp = message_timestamp + 1",
    "source = '1'",
    "destination = NULL",
    "destination_address = '\\x00'",
    "source_chain_id = NULL, destination_chain_id = NULL",
    "sent_nonce = coalesce(sent_nonce, 0) + 1",
    "fee_amount = 77",
    "received_gas_limit = coalesce(received_gas_limit, 0) + 1",
    "failed_block_number = coalesce(failed_block_number, 0) + 1",
  ];
  const OF_C = `FROM icm_messages WHERE $1 IN (source_chain_id, destination_chain_id)`;

  it.each(sampled(MESSAGE_CHANGES, 4))("finds and replaces wrong interchain messages (%s)", async (change) => {
    const where = `WHERE message_id IN (SELECT message_id ${OF_C})`;
    const { rowCount } = await database.pool.query(`UPDATE icm_messages SET ${change} ${where}`, [C_CHAIN]);
    const gaps = await gapsOf(false);
    expect(gaps).toMatchObject([{ table: "icm_messages", blockNumber: null, expected: rowCount, isRepaired: false }]);
    expect(gaps[0]?.wrong).toBeGreaterThan(0);
    expect(await gapsOf(true)).toEqual(gaps.map((gap) => ({ ...gap, isRepaired: true })));
    await expectWhole();
  });

  it.each([
    ["missing", `DELETE ${OF_C}`],
    [
      "one missing",
      `DELETE FROM icm_messages WHERE message_id = (SELECT message_id ${OF_C} ORDER BY message_id DESC LIMIT 1)`,
    ],
    [
      "surplus",
      `INSERT INTO icm_messages (message_id, state, message_timestamp, source_chain_id)
       SELECT sha256(message_id), 'SENT', 1, $1 ${OF_C}`,
    ],
    [
      "of events that are wrong, too",
      `WITH event AS (UPDATE icm_events SET event = 'MessageExecuted' WHERE chain_id = $1)
       UPDATE icm_messages SET state = 'EXECUTED' WHERE source_chain_id = $1`,
    ],
  ])("finds and repairs interchain messages: %s", async (_what, statement) => {
    expect((await database.pool.query(statement, [C_CHAIN])).rowCount).toBeGreaterThan(0);
    expect((await gapsOf(false)).every(({ table }) => table === "icm_messages" || table === "icm_events")).toBe(true);
    expect((await gapsOf(true)).map(({ table }) => table)).toContain("icm_messages");
    await expectWhole();
  });

  it("repairs a table whose partition is missing", async () => {
    await database.pool.query(`DROP TABLE evm_logs_${C_CHAIN}`);
    const gaps = await gapsOf(true);
    expect(new Set(gaps.map(({ table }) => table))).toEqual(new Set(["evm_logs"]));
    await expectWhole();
  });

  it("finds and deletes surplus rows, also above the head", async () => {
    const columns = "log_index, block_index, block_timestamp, block_hash, tx_hash, from_address, to_address";
    const more = (where: string, number: string, index: string) =>
      changed(`INSERT INTO erc20_transfers (chain_id, block_number, ${columns}, token_address, value)
        SELECT chain_id, ${number}, ${columns.replace("log_index", index)}, token_address, value
        FROM erc20_transfers WHERE chain_id = $1 AND ${where}`);
    const numbers = await more("block_number < 60", "block_number", "log_index + 1000");
    const above = await more("block_number < 40", "block_number + 1000", "log_index");
    const gaps = await gapsOf(true);
    expect(placesOf(gaps)).toEqual([...numbers, ...above].map((number) => ["erc20_transfers", number]));
    await expectWhole();
  });

  it("refuses to repair a block whose transaction is stored in another block", async () => {
    // The rows above the head are compared later, with the last page of blocks.
    await changed(
      `INSERT INTO evm_transactions SELECT (jsonb_populate_record(t, '{"block_number": 9999}')).*
       FROM evm_transactions AS t WHERE chain_id = $1 AND block_number = 60`,
    );
    await changed("DELETE FROM evm_transactions WHERE chain_id = $1 AND block_number = 60");
    await expect(gapsOf(true)).rejects.toThrow(
      /^block 60 cannot be stored: its transaction 0x[\da-f]{64} is already stored in another place$/,
    );
    await changed("DELETE FROM evm_transactions WHERE chain_id = $1 AND block_number = 9999");
    expect(placesOf(await gapsOf(true))).toEqual([["evm_transactions", 60]]);
    await expectWhole();
  });

  const FIRST_SEEN = ["erc20_tokens", "nft_contracts", "nft_items"] as const;
  /** Without columns that are not derived from blocks. */
  const firstSeen = async (table: (typeof FIRST_SEEN)[number]) =>
    (await chain.rowsOf(database, table)).map(({ address, token_id, erc_type, first_block_number }) => ({
      address,
      token_id,
      erc_type,
      first_block_number,
    }));

  it.each(
    sampled(
      FIRST_SEEN.flatMap(
        (table) =>
          [
            [table, "lost", `DELETE FROM ${table} WHERE chain_id = $1`],
            [
              table,
              "lost one of",
              `DELETE FROM ${table} WHERE chain_id = $1 AND ctid = (SELECT max(ctid) FROM ${table} WHERE chain_id = $1)`,
            ],
            [table, "too late", `UPDATE ${table} SET first_block_number = first_block_number + 3 WHERE chain_id = $1`],
            [table, "too early", `UPDATE ${table} SET first_block_number = first_block_number / 2 WHERE chain_id = $1`],
            [table, "above the head", `UPDATE ${table} SET first_block_number = 9999 WHERE chain_id = $1`],
            [table, "of no block", `UPDATE ${table} SET address = sha256(address) WHERE chain_id = $1`],
          ] as const,
      ),
      3,
    ),
  )("finds and repairs rows of %s: %s", async (table, _what, statement) => {
    const before = await firstSeen(table);
    const { rowCount } = await database.pool.query(statement, [C_CHAIN]);
    expect(rowCount).toBeGreaterThan(0);
    expect((await gapsOf(false)).map((gap) => gap.table)).toContain(table);
    expect(new Set((await gapsOf(true)).map((gap) => gap.table))).toEqual(new Set([table]));
    expect(await gapsOf(false)).toEqual([]);
    expect(await firstSeen(table)).toEqual(before);
  });

  it("fetches blocks that the raw blocks lack", async () => {
    const rawBlocks = await dumpRawBlocks(database.pool, C_CHAIN);
    const lost = [0, 33, 34, 120];
    for (const table of ["raw_blocks", "evm_blocks", "raw_traces"])
      await database.pool.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number = ANY ($2)`, [
        C_CHAIN,
        lost,
      ]);
    // Blocks after such a block are not reported.
    expect(placesOf(await gapsOf(false))).toEqual(lost.map((number) => ["raw_blocks", number]));
    const gaps = await gapsOf(true);
    expect(placesOf(gaps.filter(({ table }) => table === "raw_blocks"))).toEqual(
      lost.map((number) => ["raw_blocks", number]),
    );
    expect(await gapsOf(false)).toEqual([]);
    expect(await dumpRawBlocks(database.pool, C_CHAIN)).toEqual(rawBlocks);
    await replayChain(command);
    expect(await chain.rowsOf(database, "evm_internal_transactions")).toEqual(
      chain.whole.tables.evm_internal_transactions,
    );
  });

  describe("of call trees that the raw blocks have lost", () => {
    const LOST = Array.from({ length: 21 }, (_, i) => 20 + i);
    const lose = () =>
      database.pool.query("DELETE FROM raw_traces WHERE chain_id = $1 AND block_number BETWEEN 20 AND 40", [C_CHAIN]);
    const calls = async () => ({
      evm_internal_transactions: await chain.rowsOf(database, "evm_internal_transactions"),
      evm_deployments: await chain.rowsOf(database, "evm_deployments"),
    });
    /** No row is missing; receipts may add contracts without code. */
    function expectKept(now: Awaited<ReturnType<typeof calls>>, before: Awaited<ReturnType<typeof calls>>): void {
      expect(now.evm_internal_transactions).toEqual(before.evm_internal_transactions);
      expect(now.evm_deployments).toEqual(expect.arrayContaining([...before.evm_deployments]));
    }

    it("fetches them, and changes no row", async () => {
      const before = await dumpRawTraces(database.pool, C_CHAIN);
      const rows = await calls();
      await lose();
      expect(placesOf(await gapsOf(false))).toEqual(LOST.map((number) => ["raw_traces", number]));
      const gaps = await gapsOf(true);
      expect(gaps.map(({ table, isRepaired }) => [table, isRepaired])).toEqual(LOST.map(() => ["raw_traces", true]));
      expect(await gapsOf(false)).toEqual([]);
      expect(await dumpRawTraces(database.pool, C_CHAIN)).toEqual(before);
      expect(await calls()).toEqual(rows);
    });

    it.each<[what: string, faults: readonly Fault[]]>([
      ["has pruned the state", [prunedTraces(0, 300)]],
      ["has no debug API any more", [FAULTS.methodMissing("debug_traceBlockByNumber")]],
      ["returns others, which contradict the blocks", LOST.map((number) => FAULTS.tracesNull(number))],
    ])("records them as missing if the node %s, and keeps the rows", async (_what, faults) => {
      const rows = await calls();
      await lose();
      chain.faulty.faults.wrongAnswers = faults;
      const gaps = (await gapsOf(true)).filter(({ table }) => table === "raw_traces");
      // Empty blocks have no call trees.
      const refused = gaps.filter(({ isRepaired }) => !isRepaired).map(({ blockNumber }) => blockNumber);
      expect(refused.length).toBeGreaterThan(5);
      expect(gaps).toHaveLength(LOST.length);
      const noted = (await findGaps(command, false)).untraced.flatMap(({ from, to }) =>
        Array.from({ length: to - from + 1 }, (_, i) => from + i),
      );
      expect(noted).toEqual(refused);
      expectKept(await calls(), rows);
      // Other rows of these blocks are repaired without deleting these.
      await changed("DELETE FROM erc20_transfers WHERE chain_id = $1 AND block_number BETWEEN 20 AND 40");
      await gapsOf(true);
      expect(await gapsOf(false)).toEqual([]);
      expectKept(await calls(), rows);
      await chain.faulty.heal();
      expect(await backfillTraces(command, ALL_BLOCKS)).toEqual({ traced: refused.length, skipped: 0 });
      expect((await findGaps(command, false)).untraced).toEqual([]);
      expect(await calls()).toEqual(rows);
    });
  });

  it("refuses rows that were computed with other rules", async () => {
    await using other = chain.commandOn(database, { wrappedNativeTokens: [`0x${"ab".repeat(20)}`] });
    for (const repair of [false, true])
      await expect(findGaps(other, repair)).rejects.toThrow(`moraine replay --chain ${C_CHAIN}`);
  });

  it("ends when its signal aborts", async () => {
    const signal = AbortSignal.abort(new CommandRefused("broken off"));
    for (const repair of [false, true])
      await expect(findGaps({ ...command, signal }, repair)).rejects.toThrow("broken off");
  });

  it("does not repair while an indexer writes the chain", async () => {
    await using _writer = await tryBecomeWriter(database.url, String(C_CHAIN));
    expect(await gapsOf(false)).toEqual([]);
    await expect(findGaps(command, true)).rejects.toThrow("stop it, then run the command again");
  });

  it("does not repair while call trees are backfilled", async () => {
    await using _backfill = await tryBecomeWriter(database.url, `${C_CHAIN} backfill`);
    await expect(findGaps(command, true)).rejects.toThrow("another process runs a backfill of chain");
  });
});

describe("moraine gaps on a chain without call trees", () => {
  it("reports why the chain has no call trees, and repairs other rows", async () => {
    await using database = await chain.indexedWithoutTraces();
    await using command = chain.commandOn(database, { traces: "off" });
    const found = await findGaps(command, false);
    expect(gapsReport(found, false, String(C_CHAIN))).toEqual({
      isComplete: true,
      text: "nothing is missing\nthe chain has no call trees: the setting evmChains[].traces is off for this chain",
    });
    const before = await hashTables(database.pool, C_CHAIN);
    await database.pool.query("DELETE FROM evm_deployments WHERE chain_id = $1 AND block_number > 30", [C_CHAIN]);
    expect((await findGaps(command, true)).gaps.length).toBeGreaterThan(0);
    expect(await hashTables(database.pool, C_CHAIN)).toEqual(before);
  });
});
