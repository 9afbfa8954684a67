import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Config } from "../../core/config/config-schema.ts";
import { refreshMessages } from "../../indexer/evm/store/icm-messages.ts";
import { tryBecomeWriter, type Writer } from "../../indexer/shared/writer.ts";
import { demoConfig, demoNetwork } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { replayPrimary } from "../support/indexed/replayed-primary.ts";
import { startFaultyNode } from "../support/node/faulty-node.ts";
import { ended, run } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-data-"));
// The server's account must be able to enter the directory if root runs the tests.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file with the chains of a configuration. */
function settingsOf(config: Config): string {
  const file = join(folder, "settings.json");
  const evmChains = config.evmChains.map((chain) => ({ ...chain, chainName: "C" }));
  writeFileSync(file, JSON.stringify({ evmChains }));
  return file;
}

/** The parts that `moraine check` finds wrong. */
async function wrongParts(env: Readonly<Record<string, string>>): Promise<string[]> {
  const { code, output } = await ended("check --json", [], env);
  expect(code).toBe(1);
  const findings = JSON.parse(output) as { readonly part: string; readonly isRight: boolean }[];
  return findings.filter(({ isRight }) => !isRight).map(({ part }) => part);
}

describe("a command over the database of indexed chains", () => {
  it("gaps reports that nothing is missing, backfill what it queued, each with its exit code", async () => {
    await using database = await indexedAlpha();
    const MORAINE_CONFIG = join(folder, "moraine.json");
    const chains = database.config.evmChains.map(({ chainId, nodeUrl }) => ({ chainId, nodeUrl }));
    const evmChains = chains.map((chain) => ({ ...chain, network: "fuji", chainName: "C", enabledFeatures: [] }));
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ evmChains }));
    const env = { MORAINE_CONFIG, DATABASE_URL: database.url };
    const metadata = ["--chain", "760011"];
    expect(await ended("backfill metadata", metadata, env)).toEqual({
      code: 0,
      output: expect.stringMatching(
        /^chain 760011: [1-9]\d* contracts and 0 NFTs queued; the indexer reads their metadata again; NFTs were left out, because nftIndexing is not among the enabledFeatures\n$/,
      ),
    });
    const oneNft = [...metadata, "--contract", `0x${"1".repeat(40)}`, "--token", "1"];
    expect(await ended("backfill metadata", oneNft, env)).toEqual({
      code: 1,
      output:
        "nftIndexing is not among the enabledFeatures of chain 760011: add it to the settings to index the metadata of NFTs\n",
    });
    // The rows follow other rules than those of this configuration.
    const replay = ["--chain", "760011"];
    expect((await ended("gaps", ["--chain", "760011"], env)).code).toBe(1);
    expect((await ended("replay", replay, env)).code).toBe(0);
    expect(await ended("gaps", ["--chain", "760011"], env)).toEqual({
      code: 0,
      output: expect.stringMatching(/^chain 760011: checked all blocks up to \d+\nnothing is missing\n$/),
    });
    await database.pool.query("DELETE FROM erc20_transfers WHERE chain_id = 760011 AND block_number BETWEEN 30 AND 40");
    const { code, output } = await ended("gaps", ["--chain", "760011"], env);
    expect(code).toBe(1);
    expect(output).toMatch(/^block.*: erc20_transfers has 0 rows of \d+$/m);
    expect(output).toMatch(/^`moraine gaps --chain 760011 --repair` repairs this$/m);
  });

  it.each(["SIGINT", "SIGTERM"] as const)("ends with one line on %s, whatever it waits for", async (signal) => {
    await using database = await indexedAlpha();
    const [{ nodeUrl = "" } = {}] = database.config.evmChains;
    await using node = await startFaultyNode({ upstream: new URL(nodeUrl).origin });
    node.faults.delayMs = 30_000;
    const MORAINE_CONFIG = join(folder, `slow-${signal}.json`);
    const evmChains = demoConfig(openRecording(ALPHA).manifest, node.url);
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ evmChains, indexing: { requestTimeoutMs: 60_000 } }));
    const env = { MORAINE_CONFIG, DATABASE_URL: database.url };
    await database.pool.query("DELETE FROM raw_traces WHERE chain_id = 760011");
    await using process = await run("gaps", env, ["--chain", "760011", "--repair"]);
    while (node.traffic.requests === 0) await sleep(20);
    process.child.kill(signal);
    expect(await once(process.child, "exit")).toEqual([signal === "SIGINT" ? 130 : 143, null]);
    expect(process.output()).toBe("interrupted: run the command again to continue\n");
  });

  it("status says how far each chain is, whether an indexer runs, and ends with 1 if none does", async () => {
    await using database = await indexedAlpha();
    const env = { MORAINE_CONFIG: settingsOf(database.config), DATABASE_URL: database.url };
    const report = (state: string) =>
      database.pool.query("UPDATE chain_progress SET state = $1, node_block_number = 240", [state]);
    await report("FOLLOWING");
    const { evmChains } = database.config;
    const held = await Promise.all(evmChains.map(({ chainId }) => tryBecomeWriter(database.url, String(chainId))));
    const running = await ended("status --json", [], env);
    expect(running.code).toBe(0);
    expect(JSON.parse(running.output)).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      chains: expect.arrayContaining([
        expect.objectContaining({
          name: "C (760011)",
          state: "FOLLOWING",
          blockNumber: 234,
          nodeBlockNumber: 240,
          lag: 6,
        }),
      ]),
    });
    const compared = (differing: number) =>
      database.pool.query(
        `INSERT INTO chain_verifications VALUES (760011, 230, 0, 100, $1, '{}', NULL)
         ON CONFLICT (chain_id) DO UPDATE SET differing_count = excluded.differing_count`,
        [differing],
      );
    await compared(2);
    expect(await ended("status", [], env)).toMatchObject({
      code: 1,
      output: expect.stringMatching(
        /^C \(760011\): following, block 234, 6 behind the node, verified up to block 230, 2 compared values differ$/m,
      ),
    });
    await compared(0);
    expect((await ended("status", [], env)).code).toBe(0);
    await database.pool.query("DELETE FROM chain_verifications");
    await report("STOPPED");
    expect(await ended("status", [], env)).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^C \(760011\): stopped, block 234, 6 behind the node$/m),
    });
    const nodes = [
      { name: "node 1", state: "USABLE", head: 240, reason: null },
      { name: "node 2", state: "QUARANTINED", head: null, reason: "it serves chain 7, not 760011" },
    ];
    await database.pool.query("UPDATE chain_progress SET nodes = $1 WHERE chain_id = 760011", [JSON.stringify(nodes)]);
    expect((await ended("status", [], env)).output).toMatch(
      /^C \(760011\): .*\n {2}node 1 \([^)]+\): usable, block 240\n {2}node 2: quarantined, no block, it serves chain 7, not 760011$/m,
    );
    for (const writer of held) await writer?.[Symbol.asyncDispose]();
    expect((await ended("status", [], env)).output).toMatch(/^C \(760011\): not running, /m);
    // The state after the import of an archive.
    await database.pool.query("DELETE FROM chain_progress");
    expect((await ended("status", [], env)).output).toMatch(/^C \(760011\): not running, block 234$/m);
    // The state after a restore.
    await database.pool.query("DELETE FROM chain_heads");
    expect(await ended("status", [], env)).toMatchObject({
      code: 1,
      output: expect.stringMatching(
        /^C \(760011\): not indexed, raw blocks up to 234 are stored, and moraine start computes the rows from them$/m,
      ),
    });
  });

  it("check says which of settings, nodes and database cannot be used, and changes nothing", async () => {
    await using database = await indexedAlpha();
    const env = { MORAINE_CONFIG: settingsOf(database.config), DATABASE_URL: database.url };
    expect(await ended("check", [], env)).toEqual({
      code: 0,
      output:
        "settings: all settings can be used\nnodes: all nodes answer as the settings say\ndatabase: the database is of this version\n",
    });
    await database.pool.query(
      "DELETE FROM graphile_worker.migrations WHERE id = (SELECT max(id) FROM graphile_worker.migrations)",
    );
    const [chain] = database.config.evmChains;
    const MORAINE_CONFIG = join(folder, "wrong.json");
    const { nodeUrl } = chain ?? {};
    writeFileSync(
      MORAINE_CONFIG,
      JSON.stringify({ evmChains: [{ chainId: 7, nodeUrl, network: "fuji", chainName: "C" }] }),
    );
    const wrong = { ...env, MORAINE_CONFIG };
    expect(await wrongParts(wrong)).toEqual(["nodes", "database"]);
    expect(await wrongParts({ ...wrong, PORT: "eighty" })).toEqual(["settings"]);
    const { rows } = await database.pool.query("SELECT count(*)::int AS count FROM graphile_worker.migrations");
    expect((await ended("check", [], env)).code).toBe(1);
    expect((await database.pool.query("SELECT count(*)::int AS count FROM graphile_worker.migrations")).rows).toEqual(
      rows,
    );
  });

  it("check reports settings that contradict the P-Chain's index, and is right before the first start has made a database", async () => {
    await using database = await replayPrimary(ALPHA);
    await using node = await startReplayNode({ heads: "full" });
    const { manifest } = node.recording;
    const [first, second] = demoConfig(manifest, node.url);
    const primaryNetworks = [demoNetwork(manifest, ALPHA, node.url)];
    const MORAINE_CONFIG = join(folder, "contradicting.json");
    const other = { subnetId: first?.["blockchainId"], network: "mainnet" };
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ evmChains: [first, { ...second, ...other }], primaryNetworks }));
    expect(await ended("check", [], { MORAINE_CONFIG, DATABASE_URL: database.url })).toEqual({
      code: 1,
      output: expect.stringMatching(
        /^database: NOT RIGHT: the settings of chain 760012 contradict the P-Chain's index of fuji, which has blockchain \w+: network is mainnet, not fuji, subnetId is \w+, not \w+; correct them in evmChains$/m,
      ),
    });
    expect(await ended("check", [], { MORAINE_CONFIG, MORAINE_DATA: join(folder, "new") })).toEqual({
      code: 0,
      output:
        "settings: all settings can be used\nnodes: all nodes answer as the settings say\ndatabase: there are no tables yet: the first start makes them\n",
    });
    expect(await wrongParts({ MORAINE_CONFIG, MORAINE_DATA: join(MORAINE_CONFIG, "new") })).toEqual(["database"]);
  });

  it("migrate creates the tables, and then has nothing to do", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("ALTER SCHEMA public RENAME TO earlier; CREATE SCHEMA public");
    const env = { DATABASE_URL: database.url };
    const first = await ended("migrate", [], env);
    expect(first).toEqual({ code: 0, output: expect.stringMatching(/^applied: \d+_init/m) });
    expect((await database.pool.query("SELECT count(*)::int AS count FROM chain_heads")).rows).toEqual([{ count: 0 }]);
    expect(await ended("migrate", [], env)).toEqual({ code: 0, output: "the database is of this version\n" });
    expect(JSON.parse((await ended("migrate --json", [], env)).output)).toEqual({ applied: [], rebuilt: [] });
  });
});

const TABLES_WITH = `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('p', 'r') AND NOT c.relispartition AND a.attname = $1
  ORDER BY 1`;

/** Number and digest of the rows of each table that has the column, for each value of it, as `table value`. */
async function rowsBy(pool: pg.Pool, column: "chain_id" | "network_id"): Promise<Map<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(TABLES_WITH, [column]);
  const found = new Map<string, string>();
  for (const { name } of tables) {
    const { rows } = await pool.query<{ value: string; digest: string }>(
      `SELECT ${column}::text AS value, count(*) || ' ' || md5(string_agg(t::text, '' ORDER BY t::text)) AS digest
       FROM ${name} t WHERE ${column} IS NOT NULL GROUP BY 1`,
    );
    for (const { value, digest } of rows) found.set(`${name} ${value}`, digest);
  }
  return found;
}

const MESSAGES = `SELECT encode(message_id, 'hex') AS id, source_chain_id::text AS source, destination_chain_id::text AS destination,
  sent_block_number, received_block_number FROM icm_messages ORDER BY 1`;
interface Message {
  readonly id: string;
  readonly source: string | null;
  readonly destination: string | null;
  readonly sent_block_number: string | null;
  readonly received_block_number: string | null;
}

/** The recording has only messages with one end in its EVM chains: lets 760012 receive one that 760011 has sent. */
async function joinMessage({ pool, url }: TestDatabase): Promise<void> {
  const { rows } = await pool.query<{ message_id: Buffer }>(
    "SELECT message_id FROM icm_messages WHERE source_chain_id = 760011 ORDER BY 1 LIMIT 1",
  );
  const [{ message_id: id } = { message_id: Buffer.alloc(0) }] = rows;
  await pool.query(
    `INSERT INTO icm_events SELECT (jsonb_populate_record(e, jsonb_build_object('message_id', $1::text, 'log_index', 9999))).*
     FROM icm_events e WHERE chain_id = 760012 AND event = 'ReceiveCrossChainMessage' LIMIT 1`,
    [`\\x${id.toString("hex")}`],
  );
  await using writer = (await tryBecomeWriter(url, "760012")) as Writer;
  await writer.transaction((session) => refreshMessages(session, "760012", [id]));
  const joined = "SELECT FROM icm_messages WHERE source_chain_id = 760011 AND destination_chain_id = 760012";
  expect((await pool.query(joined)).rowCount).toBe(1);
}

describe("moraine drop", () => {
  it("leaves no row of the chain in any table, and every row of other chains, with their ends of messages", async () => {
    await using database = await indexedAlpha();
    const { pool } = database;
    const env = { DATABASE_URL: database.url };
    await joinMessage(database);
    const before = await rowsBy(pool, "chain_id");
    const messages = (await pool.query<Message>(MESSAGES)).rows;
    const isOf = (key: string) => key.endsWith(" 760012");
    expect([...before.keys()].filter(isOf).length).toBeGreaterThan(20);

    const asked = await ended("drop --chain 760012", [], env);
    expect(asked).toEqual({ code: 1, output: expect.stringMatching(/^chain 760012 has \d+ MB: --yes deletes them/) });
    expect(await rowsBy(pool, "chain_id")).toEqual(before);
    expect(await ended("drop --chain 999", [], env)).toEqual({ code: 1, output: "nothing is stored of chain 999\n" });

    expect((await ended("drop --chain 760012 --yes", [], env)).output).toMatch(/^chain 760012: \d+ MB deleted$/m);
    const after = await rowsBy(pool, "chain_id");
    expect([...after.keys()].filter(isOf)).toEqual([]);
    expect(after).toEqual(new Map([...before].filter(([key]) => !isOf(key))));
    const left = (await pool.query<Message>(MESSAGES)).rows;
    expect(left).toEqual(
      messages
        .map((message) => ({
          ...message,
          ...(message.source === "760012" ? { source: null, sent_block_number: null } : {}),
          ...(message.destination === "760012" ? { destination: null, received_block_number: null } : {}),
        }))
        .filter(({ source, destination }) => source !== null || destination !== null),
    );
    const { rows: partitions } = await pool.query("SELECT relname FROM pg_class WHERE relname LIKE '%760012%'");
    expect(partitions).toEqual([]);
    expect(JSON.parse((await ended("drop --json --chain 760012 --yes", [], env)).output)).toMatchObject({
      isDropped: true,
    });
  });

  it("does the same for a primary network", async () => {
    await using database = await replayPrimary(ALPHA);
    const { pool, recording } = database;
    const id = String(recording.network.networkId);
    const before = await rowsBy(pool, "network_id");
    const others = await rowsBy(pool, "chain_id");
    expect([...before.keys()].length).toBeGreaterThan(20);
    expect((await ended(`drop --network-id ${id} --yes`, [], { DATABASE_URL: database.url })).code).toBe(0);
    expect([...(await rowsBy(pool, "network_id")).keys()]).toEqual([]);
    expect(await rowsBy(pool, "chain_id")).toEqual(others);
  });

  it("is refused while an indexer writes the chain or the network", async () => {
    await using database = await createTestDatabase();
    const env = { DATABASE_URL: database.url };
    await using chain = await tryBecomeWriter(database.url, "760012");
    await using network = await tryBecomeWriter(database.url, "primary 5");
    expect([chain, network]).not.toContain(null);
    const ends = await Promise.all(
      ["--chain 760012", "--network-id 5"].map((what) => ended(`drop ${what} --yes`, [], env)),
    );
    expect(ends).toEqual([
      { code: 1, output: "another process indexes chain 760012: stop it, then run the command again\n" },
      { code: 1, output: "another process indexes the primary network 5: stop it, then run the command again\n" },
    ]);
  });

  it("needs a chain or a network", async () => {
    expect(await ended("drop --yes", [])).toEqual({ code: 1, output: "give either --chain or --network-id\n" });
    expect(await ended("drop --chain c", [])).toEqual({ code: 1, output: '--chain is "c": must be a number\n' });
  });
});
