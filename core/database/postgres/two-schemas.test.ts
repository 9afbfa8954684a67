import type pg from "pg";
import { tryBecomeWriter, type Writer } from "../../../indexer/shared/writer.ts";
import { createBlockNotifications } from "../../../subgraphs/shared/new-blocks/notifications.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { until } from "../../../test/support/indexed/indexing.ts";
import { createLogger } from "../../observability/logger.ts";
import { SERVICE_WORK } from "../../work/work.ts";
import { EVM_BLOCKS } from "../block-channels.ts";
import { addExportJob } from "../job-queue.ts";
import { migrate, requireMigrated } from "../migrate.ts";
import { openDatabase } from "../open-database.ts";
import { createPool } from "./connect.ts";
import { channelName, namedLockKey, queueSchemaOf } from "./schema-names.ts";

const logger = createLogger("silent");
/** Names that need quotes are names, too. */
const SCHEMAS = ["public", "moraine_2", "Third Moraine"] as const;
const [FIRST, ...OTHERS] = SCHEMAS;

let database: TestDatabase;
const urlOf = (schema: string) => `${database.url}?schema=${encodeURIComponent(schema)}`;
beforeAll(async () => {
  database = await createTestDatabase();
  await Promise.all(OTHERS.flatMap((schema) => [schema, schema]).map((schema) => migrate(urlOf(schema), () => {})));
});
afterAll(() => database[Symbol.asyncDispose]());

/** Reads the same in the schemas of all three. */
async function inEach<Result>(read: (url: string, schema: string) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (const schema of SCHEMAS) results.push(await read(urlOf(schema), schema));
  return results;
}

function open(url: string): pg.Pool {
  const pool = createPool(url, { max: 1 });
  // The database may be dropped before PostgreSQL has closed a session.
  pool.on("error", () => {});
  return pool;
}

const rowsOf = async (url: string, text: string): Promise<unknown[]> => {
  const pool = open(url);
  const { rows } = await pool.query<{ value: unknown }>(text);
  await pool.end();
  return rows.map(({ value }) => value);
};

describe("two Moraines in two schemas of a database", () => {
  it("have all tables", async () => {
    await inEach((url) => requireMigrated(url));
    const tables = "SELECT count(*)::int AS value FROM pg_tables WHERE schemaname = current_schema()";
    const [first, ...others] = await inEach((url) => rowsOf(url, tables));
    expect(others).toEqual([first, first]);
  });

  it("have rows of their own, for statements and for Prisma", async () => {
    await inEach((url, schema) =>
      rowsOf(url, `INSERT INTO secrets (name, value) VALUES ('${schema}', '\\x00'), ('same', '\\x00')`),
    );
    const read = async (url: string) => {
      await using opened = openDatabase(url, 1, logger);
      const byPrisma = await opened.evm.prisma(
        ({ secret }) => secret.findMany({ orderBy: { name: "asc" } }),
        SERVICE_WORK,
        "1",
      );
      return [
        byPrisma.map(({ name }) => name),
        await rowsOf(url, 'SELECT name AS value FROM secrets ORDER BY name COLLATE "C"'),
      ];
    };
    const expected = SCHEMAS.map((schema) => [schema, "same"].toSorted());
    expect(await inEach(read)).toEqual(expected.map((names) => [names, names]));
  });

  it("write one chain at the same time, and each has one writer", async () => {
    const writers = (await inEach((url) => tryBecomeWriter(url, "1"))) as Writer[];
    expect(writers).not.toContain(null);
    expect(await inEach((url) => tryBecomeWriter(url, "1"))).toEqual([null, null, null]);
    for (const writer of writers) await writer[Symbol.asyncDispose]();
  });

  it("lock and notify by names of their own, and the schema public by names without a schema", async () => {
    const locks = await inEach((url) => rowsOf(url, `SELECT ${namedLockKey("'moraine writer 1'")}::text AS value`));
    const channels = await inEach((url) => rowsOf(url, `SELECT ${channelName(EVM_BLOCKS.channel)} AS value`));
    expect(new Set(locks.flat()).size).toBe(3);
    const [plain] = await rowsOf(database.url, "SELECT hashtextextended('moraine writer 1', 0)::text AS value");
    expect(locks[0]).toEqual([plain]);
    expect(channels).toEqual([["moraine_blocks"], ["moraine_blocks.moraine_2"], ["moraine_blocks.Third Moraine"]]);
  });

  it("hear only of their own blocks", async () => {
    const heard: string[] = [];
    const pools = SCHEMAS.map((schema) => open(urlOf(schema)));
    const all = pools.map((pool) => createBlockNotifications(pool, logger, EVM_BLOCKS));
    all.forEach((one, at) => void one.listen("1", (block) => heard.push(`${at}: ${block}`)));
    const notify = `SELECT pg_notify(${channelName(EVM_BLOCKS.channel)}, json_build_object('chain', '1', 'blockNumber', $1::text)::text)`;
    for (const [at, pool] of pools.entries())
      await until(
        async () => {
          await pool.query(notify, [String(at)]);
          return heard.includes(`${at}: ${at}`);
        },
        (isHeard) => isHeard,
        "the notification",
      );
    expect(new Set(heard)).toEqual(new Set(["0: 0", "1: 1", "2: 2"]));
    for (const one of all) await one[Symbol.asyncDispose]();
    for (const pool of pools) await pool.end();
  });

  it("have jobs of their own", async () => {
    const pool = open(urlOf(OTHERS[0] as string));
    await addExportJob(pool, "of the second");
    await pool.end();
    expect(await inEach((url) => rowsOf(url, "SELECT key AS value FROM jobs"))).toEqual([[], ["of the second"], []]);
    expect(SCHEMAS.map(queueSchemaOf)).toEqual([
      "graphile_worker",
      "graphile_worker_moraine_2",
      "graphile_worker_Third Moraine",
    ]);
    expect(FIRST).toBe("public");
  });
});
