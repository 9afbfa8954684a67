import type { EvmChainConfig } from "../../core/config-schema.ts";
import { createLogger } from "../../core/logger.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { testConfig } from "../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../test/support/database.ts";
import { indexedAlpha, untilIndexed } from "../../test/support/indexed.ts";
import { dumpJournal, dumpTables } from "../../test/support/tables.ts";
import { chainRules } from "../evm/rules.ts";
import { createEvmSource } from "../evm/source.ts";
import { startIndexer } from "../indexer.ts";
import { createNodeClient } from "../node-client.ts";
import { tryBecomeWriter } from "../writer.ts";
import { backfillTraces } from "./backfill.ts";
import type { CommandDeps } from "./command.ts";
import { findGaps } from "./gaps.ts";
import { replayChain } from "./replay.ts";

const C_CHAIN = 760_011;
const ALL = { from: 0, to: Number.MAX_SAFE_INTEGER };

let node: ReplayNode;
let whole: Awaited<ReturnType<typeof dumpTables>>;

beforeAll(async () => {
  node = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
  await using database = await indexedAlpha();
  whole = await dumpTables(database.pool, C_CHAIN);
});
afterAll(() => node[Symbol.asyncDispose]());

function chainConfig(settings: Readonly<Record<string, unknown>> = {}): EvmChainConfig {
  const chains = demoConfig(node.recording.manifest, node.url).map((chain) => ({ ...chain, ...settings }));
  return testConfig({ evmChains: chains }).evmChains.find(({ chainId }) => chainId === C_CHAIN) as EvmChainConfig;
}

function commandOn({ url }: TestDatabase): CommandDeps & AsyncDisposable {
  const chain = chainConfig();
  const options = { requestTimeoutMs: 5_000, maxConcurrency: 4, maxBatchSize: 50, headers: {} };
  const client = createNodeClient({ ...options, url: chain.nodeUrl, signal: new AbortController().signal });
  return {
    url,
    rules: chainRules(chain),
    source: createEvmSource(client, "auto"),
    report: () => {},
    [Symbol.asyncDispose]: () => client[Symbol.asyncDispose](),
  };
}

const tablesOf = async ({ pool }: TestDatabase) => (await dumpTables(pool, C_CHAIN)).tables;

async function indexedWithoutTraces(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const config = testConfig({ evmChains: [chainConfig({ traces: "off" })] });
  await using _indexer = startIndexer(config, database.url, createLogger("error"));
  await untilIndexed(database, { [C_CHAIN]: whole.head });
  return database;
}

describe("npm run backfill", () => {
  it("brings call trees to a chain that was indexed without them, to the same rows as with them from the start", async () => {
    await using database = await indexedWithoutTraces();
    const before = await tablesOf(database);
    expect(before.evm_internal_transactions).toEqual([]);
    expect(before.untraced_ranges).toMatchObject([{ from_block: "0", to_block: String(whole.head) }]);
    await using command = commandOn(database);
    expect(await backfillTraces(command, ALL)).toEqual({ traced: whole.head + 1, skipped: 0 });
    expect(await tablesOf(database)).toEqual(whole.tables);
    expect(await backfillTraces(command, ALL)).toEqual({ traced: 0, skipped: 0 });
    // What it brought is in the raw store: a replay asks nobody.
    await replayChain(command);
    expect((await tablesOf(database)).evm_internal_transactions).toEqual(whole.tables.evm_internal_transactions);
  });

  it("keeps to its range, leaves the rest noted, and works beside the indexer", async () => {
    await using database = await indexedWithoutTraces();
    await using command = commandOn(database);
    const config = testConfig({ evmChains: [chainConfig({ traces: "off" })] });
    await using _indexer = startIndexer(config, database.url, createLogger("error"));
    expect(await backfillTraces(command, { from: 20, to: 69 })).toEqual({ traced: 50, skipped: 0 });
    const { untraced_ranges: ranges, evm_internal_transactions: internals } = await tablesOf(database);
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

  it("leaves a block alone that the index has on another branch", async () => {
    await using database = await indexedWithoutTraces();
    await database.pool.query("UPDATE evm_blocks SET block_hash = sha256(block_hash) WHERE block_number = 60");
    await using command = commandOn(database);
    expect(await backfillTraces(command, ALL)).toEqual({ traced: whole.head, skipped: 1 });
    expect((await tablesOf(database)).untraced_ranges).toMatchObject([{ from_block: "60", to_block: "60" }]);
  });

  it("is refused while another one of the chain is under way", async () => {
    await using database = await createTestDatabase();
    await using command = commandOn(database);
    await using _other = await tryBecomeWriter(database.url, `${C_CHAIN} backfill`);
    await expect(backfillTraces(command, ALL)).rejects.toThrow("being backfilled by another process");
  });
});

describe("npm run gaps", () => {
  // Each test mends what it breaks.
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

  const LOSSES = [
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
  ] as const;

  it.each(LOSSES)("finds rows that %s has lost, and makes them again", async (table) => {
    expect(await findGaps(command, false)).toEqual([]);
    const lost = await database.pool.query<{ block_number: string }>(
      `DELETE FROM ${table} WHERE chain_id = $1 AND block_number % 3 = 1 RETURNING block_number`,
      [C_CHAIN],
    );
    const numbers = [...new Set(lost.rows.map(({ block_number }) => Number(block_number)))].sort((a, b) => a - b);
    expect(numbers.length).toBeGreaterThan(0);
    const gaps = await findGaps(command, false);
    expect(gaps.map((gap) => [gap.table, gap.blockNumber])).toEqual(numbers.map((number) => [table, number]));
    await findGaps(command, true);
    expect(await findGaps(command, false)).toEqual([]);
    expect(await tablesOf(database)).toEqual(whole.tables);
  });

  it("finds rows that are too many, and takes them away", async () => {
    await database.pool.query(
      "INSERT INTO erc20_transfers SELECT chain_id, block_number, log_index + 1000, block_index, block_timestamp, block_hash, tx_hash, from_address, to_address, token_address, value FROM erc20_transfers WHERE chain_id = $1 AND block_number < 60",
      [C_CHAIN],
    );
    expect((await findGaps(command, true)).length).toBeGreaterThan(0);
    expect(await tablesOf(database)).toEqual(whole.tables);
  });

  it.each(["erc20_tokens", "nft_contracts", "nft_items"])("finds what %s has lost", async (table) => {
    await database.pool.query(`DELETE FROM ${table} WHERE chain_id = $1`, [C_CHAIN]);
    expect((await findGaps(command, true)).length).toBeGreaterThan(0);
    expect(await findGaps(command, false)).toEqual([]);
    const count = await database.pool.query(`SELECT count(*)::int AS n FROM ${table} WHERE chain_id = $1`, [C_CHAIN]);
    expect(count.rows[0]).toEqual({ n: whole.tables[table as keyof typeof whole.tables].length });
  });

  it("asks the node for blocks that the raw store has lost, and puts them in their place", async () => {
    const journal = await dumpJournal(database.pool, C_CHAIN);
    for (const table of ["journal", "evm_blocks", "raw_traces"])
      await database.pool.query(`DELETE FROM ${table} WHERE chain_id = $1 AND block_number IN (0, 33, 34, 120)`, [
        C_CHAIN,
      ]);
    const gaps = await findGaps(command, false);
    expect(gaps.filter(({ table }) => table === "journal").map(({ blockNumber }) => blockNumber)).toEqual([
      0, 33, 34, 120,
    ]);
    await findGaps(command, true);
    expect(await findGaps(command, false)).toEqual([]);
    expect(await dumpJournal(database.pool, C_CHAIN)).toEqual(journal);
    await replayChain(command);
    expect((await tablesOf(database)).evm_internal_transactions).toEqual(whole.tables.evm_internal_transactions);
  });

  it("does not repair while an indexer writes the chain", async () => {
    await using _writer = await tryBecomeWriter(database.url, String(C_CHAIN));
    expect(await findGaps(command, false)).toEqual([]);
    await expect(findGaps(command, true)).rejects.toThrow("stop it first");
  });
});

it("rows that an older version made are made again by the indexer's next start", async () => {
  await using database = await indexedAlpha();
  await database.pool.query("UPDATE chain_heads SET rows_version = 1 WHERE chain_id = $1", [C_CHAIN]);
  for (const table of ["erc721_transfers", "evm_deployments", "erc20_balances"])
    await database.pool.query(`DELETE FROM ${table} WHERE chain_id = $1`, [C_CHAIN]);
  const config = testConfig({ evmChains: [chainConfig()] });
  await using _indexer = startIndexer(config, database.url, createLogger("error"));
  await untilIndexed(database, { [C_CHAIN]: whole.head });
  // A start takes the rows away before it makes them again: wait until the version is the new one.
  const version = "SELECT rows_version FROM chain_heads WHERE chain_id = $1 AND block_number = $2";
  for (let i = 0; i < 200; i++) {
    const { rows } = await database.pool.query<{ rows_version: number }>(version, [C_CHAIN, whole.head]);
    if (rows[0]?.rows_version !== 1 && rows[0]) break;
    await new Promise((done) => setTimeout(done, 25));
  }
  await untilIndexed(database, { [C_CHAIN]: whole.head });
  expect(await tablesOf(database)).toEqual(whole.tables);
});
