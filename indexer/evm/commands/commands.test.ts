import type { EvmChainConfig } from "../../../core/config-schema.ts";
import { createLogger } from "../../../core/logger.ts";
import { demoConfig } from "../../../recordings/demo.ts";
import { openRecording } from "../../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../../recordings/replay-node.ts";
import { testConfig } from "../../../test/support/config.ts";
import {
  createFilledDatabase,
  createTestDatabase,
  type TestDatabase,
} from "../../../test/support/database/database.ts";
import {
  dumpJournal,
  dumpRawTraces,
  dumpTable,
  dumpTables,
  fingerprint,
  hashTables,
} from "../../../test/support/database/tables.ts";
import { sampled } from "../../../test/support/full.ts";
import { indexedAlpha, untilIndexed } from "../../../test/support/indexed/indexed.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { FAULTS, type Fault } from "../../../test/support/node/faults.ts";
import { type FaultyNode, startFaultyNode } from "../../../test/support/node/faulty-node.ts";
import { failure } from "../../../test/support/node/rpc-answers.ts";
import { ACTIVITY_TABLES } from "../../../test/support/oracle/activity-oracle.ts";
import { HOLDING_TABLES } from "../../../test/support/oracle/holdings-oracle.ts";
import { startIndexer } from "../../indexer.ts";
import { createNodeClient } from "../../shared/node/node-client.ts";
import { tryBecomeWriter } from "../../shared/writer.ts";
import { chainRules } from "../decode/chain-rules.ts";
import { createEvmSource } from "../fetch/source.ts";
import { backfillMetadata, backfillTraces } from "./backfill.ts";
import { type CommandDeps, CommandRefused } from "./command.ts";
import { findGaps } from "./gaps/find-gaps.ts";
import type { Gap } from "./gaps/gap.ts";
import { gapsReport } from "./gaps/report.ts";
import { replayChain } from "./replay.ts";

const C_CHAIN = 760_011;
const ALL = { from: 0, to: Number.MAX_SAFE_INTEGER };

let node: ReplayNode;
/** The same node behind a proxy with faults. */
let faulty: FaultyNode;
let whole: Awaited<ReturnType<typeof dumpTables>>;
let wholeHashes: Awaited<ReturnType<typeof hashTables>>;

beforeAll(async () => {
  node = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
  faulty = await startFaultyNode({ upstream: node.url });
  await using database = await indexedAlpha();
  whole = await dumpTables(database.pool, C_CHAIN);
  wholeHashes = await hashTables(database.pool, C_CHAIN);
});
afterAll(async () => {
  await faulty[Symbol.asyncDispose]();
  await node[Symbol.asyncDispose]();
});

function chainConfig(settings: Readonly<Record<string, unknown>> = {}): EvmChainConfig {
  const chains = demoConfig(node.recording.manifest, faulty.url).map((chain) => ({ ...chain, ...settings }));
  return testConfig({ evmChains: chains }).evmChains.find(({ chainId }) => chainId === C_CHAIN) as EvmChainConfig;
}

function commandOn(
  { url }: TestDatabase,
  settings: Readonly<Record<string, unknown>> = {},
): CommandDeps & AsyncDisposable {
  const chain = chainConfig(settings);
  const options = { requestTimeoutMs: 5_000, maxConcurrency: 4, maxBatchSize: 50, headers: {} };
  const client = createNodeClient({ ...options, url: chain.nodeUrl, signal: new AbortController().signal });
  return {
    url,
    rules: chainRules(chain),
    source: createEvmSource(client, chain.traces),
    signal: new AbortController().signal,
    report: () => {},
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

type TableName = Parameters<typeof dumpTable>[2];

const rowsOf = ({ pool }: TestDatabase, table: TableName) => dumpTable(pool, C_CHAIN, table);

/** Expects the rows of the chain that was indexed with call trees, in all tables. */
async function expectWholeRows({ pool }: TestDatabase): Promise<void> {
  expect(await hashTables(pool, C_CHAIN)).toEqual(wholeHashes);
}

function indexedWithoutTraces(): Promise<TestDatabase> {
  return createFilledDatabase("alpha_c_without_traces", async (database) => {
    const config = testConfig({ evmChains: [chainConfig({ traces: "off" })] });
    await using _indexer = startIndexer(config, database.url, createLogger("error"));
    await untilIndexed(database, { [C_CHAIN]: whole.head });
  });
}

describe("npm run backfill", () => {
  it("adds the call trees of a chain that was indexed without them; the rows then equal those of a chain that was indexed with them", async () => {
    await using database = await indexedWithoutTraces();
    expect(await rowsOf(database, "evm_internal_transactions")).toEqual([]);
    expect(await rowsOf(database, "untraced_ranges")).toMatchObject([
      { from_block: "0", to_block: String(whole.head) },
    ]);
    await using command = commandOn(database);
    expect(await backfillTraces(command, ALL)).toEqual({ traced: whole.head + 1, skipped: 0 });
    await expectWholeRows(database);
    expect(await backfillTraces(command, ALL)).toEqual({ traced: 0, skipped: 0 });
    // The fetched call trees are in the raw block store, so a replay needs no node.
    await replayChain(command);
    expect(await rowsOf(database, "evm_internal_transactions")).toEqual(whole.tables.evm_internal_transactions);
  });

  it("fetches only the requested range, while the indexer runs", async () => {
    await using database = await indexedWithoutTraces();
    await using command = commandOn(database);
    const config = testConfig({ evmChains: [chainConfig({ traces: "off" })] });
    await using _indexer = startIndexer(config, database.url, createLogger("error"));
    expect(await backfillTraces(command, { from: 20, to: 69 })).toEqual({ traced: 50, skipped: 0 });
    const ranges = await rowsOf(database, "untraced_ranges");
    const internals = await rowsOf(database, "evm_internal_transactions");
    expect(ranges.map(({ from_block, to_block }) => [from_block, to_block])).toEqual([
      ["0", "19"],
      ["70", String(whole.head)],
    ]);
    const within = whole.tables.evm_internal_transactions.filter(
      ({ block_number }) => Number(block_number) >= 20 && Number(block_number) <= 69,
    );
    expect(within.length).toBeGreaterThan(10);
    expect(internals).toEqual(within);
  });

  it("skips a block whose indexed hash differs from the node's", async () => {
    await using database = await indexedWithoutTraces();
    await database.pool.query("UPDATE evm_blocks SET block_hash = sha256(block_hash) WHERE block_number = 60");
    await using command = commandOn(database);
    expect(await backfillTraces(command, ALL)).toEqual({ traced: whole.head, skipped: 1 });
    expect(await rowsOf(database, "untraced_ranges")).toMatchObject([{ from_block: "60", to_block: "60" }]);
  });

  it("is refused while another backfill of the chain runs", async () => {
    await using database = await createTestDatabase();
    await using command = commandOn(database);
    await using _other = await tryBecomeWriter(database.url, `${C_CHAIN} backfill`);
    await expect(backfillTraces(command, ALL)).rejects.toThrow("another process runs a backfill of chain");
  });

  it("fails with the node's reason", async () => {
    await using database = await indexedWithoutTraces();
    await using command = commandOn(database);
    faulty.faults.wrongAnswers = [pruned(0, 40)];
    const refused = backfillTraces(command, ALL);
    await expect(refused).rejects.toThrow(/^the node refuses the traces of block \d+: required historical state/);
    await faulty.heal();
  });

  it("of metadata is refused for a chain without nftIndexing", async () => {
    await using database = await createTestDatabase();
    await using command = commandOn(database);
    await expect(backfillMetadata(command, { onlyFailed: true }, { enabledFeatures: ["teleporter"] })).rejects.toThrow(
      `nftIndexing is not among the enabledFeatures of chain ${C_CHAIN}`,
    );
    expect(await backfillMetadata(command, { onlyFailed: true }, { enabledFeatures: ["nftIndexing"] })).toBe(0);
  });
});

/** Refuses the call trees of these blocks, like a node that has pruned their state. */
const pruned = (from: number, to: number): Fault => ({
  answer: (method, [block], answer) => {
    const isIt = method === "debug_traceBlockByNumber" && Number(block) >= from && Number(block) <= to;
    return isIt ? failure(-32000, "required historical state unavailable") : answer;
  },
});

describe("npm run replay", () => {
  const progressOf = async ({ pool }: TestDatabase) =>
    (await pool.query("SELECT state, reason FROM chain_progress WHERE chain_id = $1", [C_CHAIN])).rows;

  it("shows in the progress that it runs, and restores the progress in the end", async () => {
    await using database = await indexedAlpha();
    const before = await progressOf(database);
    await database.pool.query(`
      CREATE TABLE reported (state TEXT, reason TEXT);
      CREATE FUNCTION report() RETURNS trigger AS 'BEGIN INSERT INTO reported VALUES (new.state, new.reason); RETURN new; END' LANGUAGE plpgsql;
      CREATE TRIGGER report AFTER UPDATE ON chain_progress FOR EACH ROW EXECUTE FUNCTION report();
    `);
    await using command = commandOn(database);
    expect(await replayChain(command)).toMatch(/^chain 760011: 235 blocks replayed/);
    expect((await database.pool.query("SELECT * FROM reported")).rows).toEqual([
      { state: "BACKFILLING", reason: expect.stringMatching(/is replaying the chain's rows/) },
      ...before,
    ]);
  });

  it("can be interrupted between two transactions, which the progress shows, and run again", async () => {
    await using database = await indexedAlpha();
    const before = await progressOf(database);
    const { rows } = await fingerprint(database.pool, C_CHAIN, null);
    await using command = commandOn(database);
    const stop = AbortSignal.abort(new CommandRefused("broken off"));
    await expect(replayChain({ ...command, signal: stop })).rejects.toThrow("broken off");
    expect(await rowsOf(database, "evm_blocks")).toEqual([]);
    expect(await progressOf(database)).toMatchObject([
      { state: "WAITING", reason: expect.stringMatching(/was interrupted/) },
    ]);
    // The whole chain needs a replay, so single rows are not gaps.
    for (const repair of [false, true])
      await expect(findGaps(command, repair)).rejects.toThrow("end before its raw block store does");
    await replayChain(command);
    expect((await fingerprint(database.pool, C_CHAIN, null)).rows).toBe(rows);
    // The state before is unknown; the indexer writes it.
    expect(before).toMatchObject([{ state: "FOLLOWING" }]);
  });

  it("deletes nothing if no raw block is stored", async () => {
    await using database = await createTestDatabase();
    await using command = commandOn(database);
    await expect(replayChain(command)).rejects.toThrow(`no block of chain ${C_CHAIN} is stored`);
  });
});

describe("npm run gaps", () => {
  // Each test reverses its changes.
  let database: TestDatabase;
  let command: CommandDeps & AsyncDisposable;
  beforeAll(async () => {
    database = await indexedAlpha();
    command = commandOn(database);
  });
  afterAll(async () => {
    await command[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const LOSSES = sampled(
    [
      "evm_blocks",
      "evm_transactions",
      "evm_logs",
      "erc20_transfers",
      "erc721_transfers",
      "erc1155_transfers",
      "icm_events",
      "evm_ext_data",
      "evm_internal_transactions",
      "evm_deployments",
      "erc20_balances",
    ] as const,
    2,
  );

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

  /** Expects the original rows, and no gaps. */
  async function expectWhole(): Promise<void> {
    expect(await gapsOf(false)).toEqual([]);
    await expectWholeRows(database);
  }

  it.each(LOSSES)("finds and replaces missing rows of %s", async (table) => {
    const numbers = await changed(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number % 3 = 1`);
    expect(placesOf(await gapsOf(false))).toEqual(numbers.map((number) => [table, number]));
    expect((await gapsOf(true)).every(({ isRepaired }) => isRepaired)).toBe(true);
    await expectWhole();
  });

  it.each(
    sampled(
      [
        ["evm_blocks", "fees_spent = fees_spent + 1"],
        ["evm_blocks", "cumulative_transactions = cumulative_transactions + 1"],
        ["evm_transactions", "nonce = nonce + 1"],
        ["evm_logs", "data = data || '\\x00'"],
        ["erc20_transfers", "value = value + 7"],
        ["erc721_transfers", "token_id = token_id + 1"],
        ["erc1155_transfers", "value = value + 1"],
        ["icm_events", "required_gas_limit = coalesce(required_gas_limit, 0) + 1"],
        ["evm_ext_data", "ext_data = ext_data || '\\x00'"],
        ["evm_internal_transactions", "is_reverted = NOT is_reverted"],
        ["evm_deployments", "opcode = 'CREATE3'"],
        ["erc20_balances", "balance = balance + 7"],
      ] as const,
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
    const rows = (await rowsOf(database, "erc20_holders")).length;
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

  it.each(
    sampled(
      [
        ["erc20_supplies", "holder_count = holder_count + 1"],
        ["nft_holdings", "token_id = token_id + 1000"],
        ["nft_holders", "balance = balance + 1"],
        ["nft_supplies", "total_supply = total_supply - 1"],
      ] as const,
      2,
    ),
  )("finds and replaces missing and wrong rows of %s (%s)", async (table, change) => {
    const rows = (await rowsOf(database, table)).length;
    const first = `ctid = (SELECT min(ctid) FROM ${table} WHERE chain_id = $1)`;
    await database.pool.query(`DELETE FROM ${table} WHERE chain_id = $1 AND ${first}`, [C_CHAIN]);
    await database.pool.query(`UPDATE ${table} SET ${change} WHERE chain_id = $1 AND ${first}`, [C_CHAIN]);
    const gap = { table, blockNumber: null, expected: rows, found: rows - 1, wrong: 1 };
    expect(await gapsOf(false)).toEqual([{ ...gap, isRepaired: false }]);
    expect(await gapsOf(true)).toEqual([{ ...gap, isRepaired: true }]);
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
      /^block 60 cannot be stored: duplicate key: its transaction 0x[\da-f]{64} is already stored$/,
    );
    await changed("DELETE FROM evm_transactions WHERE chain_id = $1 AND block_number = 9999");
    expect(placesOf(await gapsOf(true))).toEqual([["evm_transactions", 60]]);
    await expectWhole();
  });

  const FIRST_SEEN = ["erc20_tokens", "nft_contracts", "nft_items"] as const;
  /** Without columns that are not derived from blocks. */
  const firstSeen = async (table: (typeof FIRST_SEEN)[number]) =>
    (await rowsOf(database, table)).map(({ address, token_id, erc_type, first_block_number }) => ({
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

  it("fetches blocks that the raw block store lacks", async () => {
    const journal = await dumpJournal(database.pool, C_CHAIN);
    const lost = [0, 33, 34, 120];
    for (const table of ["journal", "evm_blocks", "raw_traces"])
      await database.pool.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number = ANY ($2)`, [
        C_CHAIN,
        lost,
      ]);
    // Blocks after such a block are not reported.
    expect(placesOf(await gapsOf(false))).toEqual(lost.map((number) => ["journal", number]));
    const gaps = await gapsOf(true);
    expect(placesOf(gaps.filter(({ table }) => table === "journal"))).toEqual(
      lost.map((number) => ["journal", number]),
    );
    expect(await gapsOf(false)).toEqual([]);
    expect(await dumpJournal(database.pool, C_CHAIN)).toEqual(journal);
    await replayChain(command);
    expect(await rowsOf(database, "evm_internal_transactions")).toEqual(whole.tables.evm_internal_transactions);
  });

  describe("of call trees that the raw block store has lost", () => {
    const LOST = Array.from({ length: 21 }, (_, i) => 20 + i);
    const lose = () =>
      database.pool.query("DELETE FROM raw_traces WHERE chain_id = $1 AND block_number BETWEEN 20 AND 40", [C_CHAIN]);
    const calls = async () => ({
      evm_internal_transactions: await rowsOf(database, "evm_internal_transactions"),
      evm_deployments: await rowsOf(database, "evm_deployments"),
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

    it.each<[what: string, fault: Fault]>([
      ["has pruned the state", pruned(0, 300)],
      ["has no debug API any more", FAULTS.methodMissing("debug_traceBlockByNumber")],
    ])("records them as missing if the node %s, and keeps the rows", async (_what, fault) => {
      const rows = await calls();
      await lose();
      faulty.faults.wrongAnswers = [fault];
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
      await faulty.heal();
      expect(await backfillTraces(command, ALL)).toEqual({ traced: refused.length, skipped: 0 });
      expect((await findGaps(command, false)).untraced).toEqual([]);
      expect(await calls()).toEqual(rows);
    });
  });

  it("refuses rows that were computed with other rules", async () => {
    await using other = commandOn(database, { wrappedNativeTokens: [`0x${"ab".repeat(20)}`] });
    for (const repair of [false, true])
      await expect(findGaps(other, repair)).rejects.toThrow(`npm run replay -- --chain ${C_CHAIN}`);
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

describe("npm run gaps on a chain without call trees", () => {
  it("reports why the chain has no call trees, and repairs other rows", async () => {
    await using database = await indexedWithoutTraces();
    await using command = commandOn(database, { traces: "off" });
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

describe("the report of gaps", () => {
  const gap = (table: Gap["table"], blockNumber: number | null, isRepaired: boolean, wrong = 0): Gap => ({
    table,
    blockNumber,
    expected: 3,
    found: 2,
    wrong,
    isRepaired,
  });
  const nothing = { traces: { isOn: true, reason: null }, untraced: [] };

  it.each([
    ["nothing", { gaps: [], ...nothing }, false, true, "nothing is missing"],
    [
      "blocks in a row as one line",
      { gaps: [gap("evm_logs", 3, false), gap("evm_logs", 4, false, 1), gap("evm_logs", 9, false)], ...nothing },
      false,
      false,
      "blocks 3 to 4: evm_logs has 4 rows of 6, 1 of them wrong\nblock 9: evm_logs has 2 rows of 3\n`npm run gaps -- --chain 7 --repair` repairs this",
    ],
    [
      "rows that are computed from several blocks",
      { gaps: [gap("erc20_holders", null, false, 1)], ...nothing },
      false,
      false,
      "all blocks: erc20_holders has 2 rows of 3, 1 of them wrong\n`npm run gaps -- --chain 7 --repair` repairs this",
    ],
    [
      "that all was repaired",
      { gaps: [gap("evm_logs", 3, true)], ...nothing },
      true,
      true,
      "block 3: evm_logs has 2 rows of 3\nall of this was repaired",
    ],
    [
      "what could not be repaired",
      { gaps: [gap("raw_traces", 3, false)], traces: { isOn: true, reason: "pruned" }, untraced: [{ from: 3, to: 3 }] },
      true,
      false,
      "block 3: raw_traces has 2 rows of 3\neverything except raw_traces was repaired: these call trees cannot be fetched and are recorded as missing\nblock 3: indexed without call trees (pruned); `npm run backfill -- --chain 7 --capability traces` fetches them",
    ],
    [
      "why a chain has no call trees, but not which blocks lack them",
      { gaps: [], traces: { isOn: false, reason: "why" }, untraced: [{ from: 0, to: 9 }] },
      false,
      true,
      "nothing is missing\nthe chain has no call trees: why",
    ],
  ])("tells %s", (_what, found, repair, isComplete, text) => {
    expect(gapsReport(found, repair, "7")).toEqual({ isComplete, text });
  });
});

describe("the indexer's next start replays rows", () => {
  /** Runs the indexer until the rows up to the head follow its rules, and returns the progress that it reported. */
  async function restarted(database: TestDatabase, settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const chain = chainConfig(settings);
    await using _indexer = startIndexer(testConfig({ evmChains: [chain] }), database.url, createLogger("error"));
    const text = "SELECT 1 FROM chain_heads WHERE chain_id = $1 AND block_number = $2 AND rows_version = $3";
    const values = [C_CHAIN, whole.head, chainRules(chain).rowsVersion];
    await until(
      async () => (await database.pool.query(text, values)).rowCount,
      (count) => count === 1,
      "rows of these rules",
    );
    await untilIndexed(database, { [C_CHAIN]: whole.head });
  }

  it("that an older version computed", async () => {
    await using database = await indexedAlpha();
    await database.pool.query("UPDATE chain_heads SET rows_version = 1 WHERE chain_id = $1", [C_CHAIN]);
    for (const table of [
      "erc721_transfers",
      "evm_deployments",
      "erc20_balances",
      ...ACTIVITY_TABLES,
      ...HOLDING_TABLES,
    ])
      await database.pool.query(`DELETE FROM ${table} WHERE chain_id = $1`, [C_CHAIN]);
    await restarted(database);
    await expectWholeRows(database);
  });

  it("that were computed with other messengers and wrapping tokens; they equal the rows of a fresh index", async () => {
    const others = { teleporterMessengers: [], wrappedNativeTokens: [] };
    await using fresh = await createTestDatabase();
    await restarted(fresh, others);
    await using database = await indexedAlpha();
    await restarted(database, others);
    const remade = await hashTables(database.pool, C_CHAIN);
    expect(remade).toEqual(await hashTables(fresh.pool, C_CHAIN));
    expect((await rowsOf(database, "icm_events")).length).toBeLessThan(whole.tables.icm_events.length);
    expect(remade["erc20_balances"]).not.toEqual(wholeHashes["erc20_balances"]);
    await restarted(database);
    await expectWholeRows(database);
  });

  it("but not if only the order and the letter case of the addresses changed", async () => {
    const one = `0x${"ab".repeat(20)}`;
    const other = `0x${"CD".repeat(20)}`;
    const of = (...teleporterMessengers: string[]) => chainRules(chainConfig({ teleporterMessengers })).rowsVersion;
    expect(of(one, other)).toBe(of(other.toLowerCase(), one.toUpperCase().replace("0X", "0x")));
    expect(of(one, other)).not.toBe(of(one));
    // The value must fit the column.
    expect(of(one, other)).toBeLessThan(2 ** 31);
  });
});
