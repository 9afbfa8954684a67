import { fileURLToPath } from "node:url";
import type pg from "pg";
import { compareReplicas } from "../../core/database/check-replicas.ts";
import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { databaseBytes, isolate, workersOf } from "../../core/database/workers.ts";
import { REST_SCHEMA, SCHEMA_HEADER } from "../../core/graph/rest-schema.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createPlanner } from "../../gateway/plan/planner.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { backfillMetadata } from "../../indexer/evm/commands/backfill.ts";
import { compactIndexes } from "../../indexer/evm/commands/compact.ts";
import { findGaps } from "../../indexer/evm/commands/gaps/find-gaps.ts";
import { openNode } from "../../indexer/primary/verify/open-node.ts";
import { verify } from "../../indexer/primary/verify/verify.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import type { Api } from "../conformance/api.ts";
import { createFolder, restore, write } from "../support/archive/archives.ts";
import { COORDINATOR, createCitusDatabase, WITHOUT_CITUS } from "../support/database/citus.ts";
import { hashTables } from "../support/database/tables.ts";
import { everyField } from "../support/every-field.ts";
import { indexedAlphaNetwork } from "../support/indexed/alpha-network.ts";
import { C_CHAIN, type CommandChain, startCommandChain } from "../support/indexed/command-chain.ts";
import { hearRequests } from "../support/indexed/heard-requests.ts";
import { readPrimaryRecording } from "../support/recorded/primary-recording.ts";
import { sampleLiterals, sampleOf } from "../support/sample-arguments.ts";
import { type ReleaseDump, readDump, readDumpFile, restoreDump } from "../upgrade/release-dump.ts";
import { answersOf, ROUTE_REQUESTS, serveAtFixedTime, startedOn } from "../upgrade/same-answers.ts";

const describeCitus = COORDINATOR ? describe : describe.skip;
const L1_CHAIN = 760_012;
const RELEASE = fileURLToPath(new URL("../upgrade/releases/0.2.0.json.gz", import.meta.url));

const distribute = (url: string) => migrate(url, () => {}, undefined, { distributes: true });

describeCitus(`a database that Citus distributes${WITHOUT_CITUS}`, () => {
  let plain: Api;
  /** The rows of the database on one server. */
  let rows: ReleaseDump;
  beforeAll(async () => {
    const database = await indexedAlphaNetwork();
    rows = await readDump(database.pool);
    plain = await serveAtFixedTime(database);
  });
  afterAll(() => plain[Symbol.asyncDispose]());

  it("answers every field of the graph as a database on one server with the same rows", async () => {
    const empty = await createCitusDatabase();
    await restoreDump(empty.url, rows);
    await distribute(empty.url);
    const [refused] = await compareReplicas(empty.url, [empty.url]);
    expect(refused?.contradiction).toMatch(/^Citus distributes the database/);
    await using database = openDatabase(empty.url, 5, createLogger("silent"));
    await using distributed = await serveAtFixedTime({
      ...database,
      prisma: database.evm.prisma,
      ...empty,
      config: plain.config,
    });
    const { schema } = createPlanner(committedSupergraph(), []);
    let answered = 0;
    for (const chainId of [C_CHAIN, L1_CHAIN]) {
      const values = await sampleOf(plain.pool, chainId);
      const searches = Object.values(values).map(
        (text) => `{ search(text: "${text}") { results { __typename } hasMore } }`,
      );
      for (const query of [...everyField(schema, sampleLiterals(values)), ...searches]) {
        const [one, other] = [await ask(distributed, query), await ask(plain, query)];
        expect([query, one]).toEqual([query, other]);
        answered++;
      }
    }
    expect(answered).toBeGreaterThan(200);
  }, 120_000);

  describe.each(["indexed", "upgraded from release 0.2.0 and then distributed"])("%s", (kind) => {
    let url: string;
    let distributed: Api;
    let chain: CommandChain;
    beforeAll(async () => {
      const empty = await createCitusDatabase();
      url = empty.url;
      if (kind !== "indexed") await restoreDump(url, readDumpFile(RELEASE));
      await distribute(url);
      const database = await startedOn(url, plain.config, empty);
      distributed = await serveAtFixedTime({ ...database, config: plain.config });
      chain = await startCommandChain();
    }, 300_000);
    afterAll(async () => {
      await chain[Symbol.asyncDispose]();
      await distributed[Symbol.asyncDispose]();
    });

    it.each(ROUTE_REQUESTS)("answers $id as a database on one server", async (route) => {
      const answers = await answersOf(distributed, route);
      expect(answers).toEqual(await answersOf(plain, route));
      expect(answers[0]).toMatch(/^200 /);
    });

    it("has the rows and no gaps, before and after its indexes are built again", async () => {
      await using command = chain.commandOn({ ...plain, url } as never);
      const { gaps } = await findGaps(command, false);
      expect(gaps).toEqual([]);
      expect(await hashTables(distributed.pool, C_CHAIN)).toEqual(chain.wholeHashes);
      const line = await compactIndexes(command);
      const [, count, from, to] = /: (\d+) indexes took ([\d.]+) MB, now ([\d.]+) MB$/.exec(line) ?? [];
      expect(Number(count)).toBeGreaterThan(50);
      expect(Number(to)).toBeLessThanOrEqual(Number(from));
      expect(await hashTables(distributed.pool, C_CHAIN)).toEqual(chain.wholeHashes);
    }, 120_000);

    it("is restored from its backup", async () => {
      using folder = createFolder();
      await write(url, folder);
      const empty = await createCitusDatabase();
      await distribute(empty.url);
      await restore(empty.url, folder);
      await using restored = await startedOn(empty.url, plain.config, empty);
      expect(await hashTables(restored.pool, C_CHAIN)).toEqual(chain.wholeHashes);
    }, 120_000);

    it("has the state of the primary network that its node has", async () => {
      await using replayed = await startReplayNode({ recording: openRecording(ALPHA), heads: "full" });
      const [settings] = plain.config.primaryNetworks.map((one) => ({ ...one, nodeUrl: replayed.url }));
      await using node = openNode(settings as never, plain.config.indexing, new AbortController().signal);
      const { network } = readPrimaryRecording(ALPHA);
      for await (const { part, compared, differences } of verify({ pool: distributed.pool, network, node }, 20, 1)) {
        expect([part, differences]).toEqual([part, []]);
        expect(compared).toBeGreaterThan(0);
      }
    });

    it("keeps no row of a chain or network on the coordinator", async () => {
      expect(await localRows(distributed.pool)).toEqual([]);
    });

    it("notifies the indexer of requests for metadata", async () => {
      await using heard = hearRequests(distributed.pool, String(C_CHAIN));
      await heard.untilCount(1);
      const { rows: tokens } = await distributed.pool.query<{ address: string }>(
        "SELECT '0x' || encode(address, 'hex') AS address FROM erc20_tokens WHERE chain_id = $1 LIMIT 1",
        [C_CHAIN],
      );
      const address = tokens[0]?.address ?? "";
      const query = `mutation { reindexContract(chainId: "${C_CHAIN}", address: "${address}") }`;
      expect(await ask(distributed, query)).toBe('{"data":{"reindexContract":true}}');
      await heard.untilCount(2);
      await using command = chain.commandOn({ ...plain, url } as never);
      const { contracts } = await backfillMetadata(
        command,
        { onlyFailed: false },
        { enabledFeatures: ["nftIndexing"] },
      );
      expect(contracts).toBeGreaterThan(0);
      await heard.untilCount(3);
    });
  });

  it("is upgraded: tables that a migration makes are distributed", async () => {
    await using empty = await createCitusDatabase();
    await distribute(empty.url);
    await using database = openDatabase(empty.url, 1, createLogger("silent"));
    for (const statement of UNDO) await database.pool.query(statement);
    const undone = "DELETE FROM _prisma_migrations WHERE migration_name >= '20261201000100'";
    await database.pool.query(undone);
    const lines: string[] = [];
    expect((await migrate(empty.url, (line) => lines.push(line))).length).toBeGreaterThan(3);
    expect(lines[0]).toMatch(/^the upgrade of the database applies \d+ migrations to .*chain_heads \(1 MB\)/);
    const tables =
      "SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE logicalrelid::text LIKE '%_verifications' ORDER BY 1";
    expect((await database.pool.query(tables)).rows).toEqual([
      { name: "chain_verifications" },
      { name: "primary_verifications" },
    ]);
    expect(await migrate(empty.url, () => {})).toEqual([]);
  }, 120_000);

  it("has a chain in shards of its own on a worker that the operator names", async () => {
    await using empty = await createCitusDatabase();
    await distribute(empty.url);
    await using database = openDatabase(empty.url, 1, createLogger("silent"));
    const { pool } = database;
    for (const id of [1, 2, 3, 4, 5, 6])
      await pool.query(
        `INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp, cumulative_transactions)
         VALUES ($1, '', 0, 7, '', 0, 0)`,
        [id],
      );
    const [first, second] = await workersOf(pool);
    expect([...(first?.chains ?? []), ...(second?.chains ?? [])].sort()).toEqual(["1", "2", "3", "4", "5", "6"]);
    const moved = first?.chains[0] ?? "";
    await using writing = openDatabase(empty.url, 1, createLogger("silent"));
    const writer = repeat(() =>
      writing.pool.query("UPDATE chain_heads SET raw_seq = raw_seq + 1 WHERE chain_id = $1", [moved]),
    );
    await isolate(pool, moved, second?.name ?? "");
    const updates = await writer.end();
    const local = "SELECT pg_database_size(current_database())::int AS bytes";
    const [coordinator] = (await pool.query<{ bytes: number }>(local)).rows;
    expect(await databaseBytes(pool)).toBeGreaterThan(2 * (coordinator?.bytes ?? Number.NaN));
    const heads = "SELECT raw_seq::int AS updates FROM chain_heads WHERE chain_id = $1";
    expect((await pool.query(heads, [moved])).rows).toEqual([{ updates }]);
    expect(updates).toBeGreaterThan(0);
    await isolate(pool, moved, second?.name ?? "");
    const after = await workersOf(pool);
    expect(after.map(({ chains }) => chains)).toEqual([
      first?.chains.filter((id) => id !== moved),
      [...(second?.chains ?? []), moved].sort(),
    ]);
    expect((await pool.query("SELECT block_number FROM chain_heads WHERE chain_id = $1", [moved])).rowCount).toBe(1);
    await expect(isolate(pool, moved, "nowhere:1")).rejects.toThrow(/^there is no worker nowhere:1: name one of 127/);
  }, 120_000);
});

/** Runs a statement again and again, also after it has failed. Its end returns how often it has succeeded. */
function repeat(run: () => Promise<unknown>): { end(): Promise<number> } {
  let isEnded = false;
  const done = (async () => {
    let count = 0;
    while (!isEnded)
      await run().then(
        () => count++,
        () => {},
      );
    return count;
  })();
  return {
    end: () => {
      isEnded = true;
      return done;
    },
  };
}

/** What the migrations after release 0.2.0 have made. */
const UNDO = [
  "CREATE TABLE metrics_page_tokens ()",
  "DROP FUNCTION indexed_blocks",
  "DROP TABLE chain_verifications",
  "DROP TABLE primary_verifications",
  "DROP TABLE restored_files",
  "ALTER TABLE chain_progress DROP COLUMN nodes",
  "ALTER TABLE primary_progress DROP COLUMN nodes",
];

async function ask(api: Api, query: string): Promise<string> {
  const body = JSON.stringify({ query });
  const headers = { "content-type": "application/json", [SCHEMA_HEADER]: REST_SCHEMA };
  return (await api.get("/graphql", { method: "POST", body, headers })).text.replaceAll(OWN_VALUES, "$1");
}

/** Values of the running operation, which each database has, and tokens, which have the time of the start. */
const OWN_VALUES =
  /("(?:operationId|createdAtTimestamp|updatedAtTimestamp|nextPageToken|\w*[cC]ursor)":)("[^"]*"|\d+)/g;

/** Distributed tables and partitions whose files on the coordinator have rows. */
async function localRows(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT logicalrelid::text AS name FROM pg_dist_partition WHERE partmethod = 'h' AND pg_relation_size(logicalrelid) > 0`,
  );
  return rows.map(({ name }) => name);
}
