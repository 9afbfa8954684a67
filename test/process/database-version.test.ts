import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SUBGRAPHS, subgraphVariable } from "../../core/config/subgraphs.ts";
import { beforeReleases } from "../support/database/before-releases.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { sampled } from "../support/full.ts";
import { run } from "./processes.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-version-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PRICES = join(folder, "prices.csv");
writeFileSync(PRICES, "");

/** Every command that uses the database. */
const COMMANDS: readonly (readonly [entry: string, args: readonly string[]])[] = [
  ["keys", ["list"]],
  ["keys", ["create", "--label", "x"]],
  ["verify", []],
  ["gaps", ["--chain", "760011"]],
  ["replay", ["--chain", "760011"]],
  ["replay", ["--network", "fuji"]],
  ["compact", ["--chain", "760011"]],
  ["backfill traces", ["--chain", "760011"]],
  ["backfill metadata", ["--chain", "760011"]],
  ["status", []],
  ["drop", ["--chain", "760011"]],
  ["backup", ["--to", join(folder, "backup")]],
  ["abi", ["list"]],
  ["prices", ["import", PRICES]],
  [
    "export",
    ["--type", "evm", "--address", `0x${"1".repeat(40)}`, "--chain", "760011", "--out", join(folder, "x.csv")],
  ],
];

/** Every part that uses the database and does not create or upgrade it. */
const URL_OF_NOTHING = "http://127.0.0.1:1/graphql";
const SUBGRAPH_URLS = Object.fromEntries(SUBGRAPHS.map(({ setting }) => [subgraphVariable(setting), URL_OF_NOTHING]));
const PARTS: readonly (readonly [entry: string, env: Readonly<Record<string, string>>])[] = [
  ["start --only exporter", {}],
  ["start --only signatures", {}],
  ...SUBGRAPHS.map(({ service }) => [`start --only ${service}`, { SIGNATURES_SERVICE_URL: URL_OF_NOTHING }] as const),
  ["start --only gateway", SUBGRAPH_URLS],
  ["start --only rest", { GATEWAY_URL: URL_OF_NOTHING }],
];

const LATER = "29990101000000_later";

type Version = "older" | "newer" | "before releases";

/** A database of such a version, in which blocks are indexed. */
async function databaseOf(version: Version): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const { pool } = database;
  await pool.query(
    "INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp, cumulative_transactions) VALUES (760011, '', 0, 0, '', 0, 0)",
  );
  if (version === "newer")
    await pool.query(
      "INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', $1, now())",
      [LATER],
    );
  else if (version === "older")
    await pool.query(
      "DELETE FROM graphile_worker.migrations WHERE id = (SELECT max(id) FROM graphile_worker.migrations)",
    );
  else await beforeReleases(pool);
  return database;
}

/** What a command or start must leave as it is. */
const CONTENT = `SELECT (SELECT array_agg(migration_name ORDER BY 1) FROM _prisma_migrations) AS migrations,
  (SELECT array_agg(relname::text ORDER BY oid) FROM pg_class) AS tables, (SELECT count(*) FROM api_keys) AS keys`;

const SETTINGS = { PORT: "0", MORAINE_DEMO: "full", MORAINE_DATA: join(folder, "none") };

/** The lines that a process prints before it ends with code 1. */
async function refusal(
  entry: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  // The line about the version, which each start logs, is not counted.
  await using process = await run(entry, { ...SETTINGS, LOG_LEVEL: "warn", ...env }, args);
  expect(await once(process.child, "close")).toEqual([1, null]);
  return process.output().trim().split("\n");
}

async function expectRefusal(version: Version, entry: string, args: readonly string[], reason: RegExp, env = {}) {
  await using database = await databaseOf(version);
  const before = (await database.pool.query(CONTENT)).rows;
  expect(await refusal(entry, args, { DATABASE_URL: database.url, ...env })).toEqual([expect.stringMatching(reason)]);
  expect((await database.pool.query(CONTENT)).rows).toEqual(before);
}

const IS_OLDER =
  /^the database is older than this version of Moraine \(its job queue is of an earlier version\): first stop .* npm start/;
const IS_NEWER = new RegExp(
  `^the database is newer than this version of Moraine, which does not know its migration ${LATER}: start the newer`,
);
const IS_BEFORE_RELEASES =
  /^the tables of the database are those of a version of Moraine before the first release, which this version cannot upgrade: drop the database .* and all blocks are indexed again\. The database was not changed$/;

describe("a command changes no table of the database and stops with one line", () => {
  it.each(sampled(COMMANDS, 3))("if the database is older: %s %j", (entry, args) =>
    expectRefusal("older", entry, args, IS_OLDER),
  );
  it.each(sampled(COMMANDS, 2))("if the database is newer: %s %j", (entry, args) =>
    expectRefusal("newer", entry, args, IS_NEWER),
  );
  // `export` looks for indexed blocks first.
  it.each([...sampled(COMMANDS.slice(0, -1), 2), ...COMMANDS.slice(-1)])(
    "if the database is of a version before the first release: %s %j",
    (entry, args) => expectRefusal("before releases", entry, args, IS_BEFORE_RELEASES),
  );
  it.each(sampled(COMMANDS.slice(0, -1), 2))(
    "if there is no data directory, which it does not create: %s %j",
    async (entry, args) => {
      expect(await refusal(entry, args, {})).toEqual([
        expect.stringMatching(/^there is no database in the data directory .* run npm start first/),
      ]);
      expect(existsSync(join(SETTINGS.MORAINE_DATA, "postgres"))).toBe(false);
    },
  );
});

describe("a start that cannot upgrade the database stops with one line, and changes nothing", () => {
  it.each(["start", "start --only indexer"])("if the database is newer: %s", (entry) =>
    expectRefusal("newer", entry, [], IS_NEWER),
  );
  it.each(["start", "start --only indexer"])("if the database is of a version before the first release: %s", (entry) =>
    expectRefusal("before releases", entry, [], IS_BEFORE_RELEASES),
  );
  it.each(sampled(PARTS, 2))("if the database is newer: %s", (entry, env) =>
    expectRefusal("newer", entry, [], IS_NEWER, env),
  );
  it.each(sampled(PARTS, 2))("if the database is of a version before the first release: %s", (entry, env) =>
    expectRefusal("before releases", entry, [], IS_BEFORE_RELEASES, env),
  );
});

describe("a part other than the indexer", () => {
  it.each(sampled(PARTS, 2))("waits until the database has its tables: %s", async (entry, env) => {
    await using database = await createTestDatabase();
    const { pool } = database;
    await pool.query("ALTER SCHEMA public RENAME TO later; CREATE SCHEMA public");
    await using process = await run(entry, { ...SETTINGS, DATABASE_URL: database.url, LOG_LEVEL: "info", ...env });
    await process.until(/the database is empty: waiting until its tables are made by npm start/);
    await pool.query("DROP SCHEMA public; ALTER SCHEMA later RENAME TO public");
    await process.until(entry === "start --only rest" ? /the gateway/ : /http:\/\/|jobs at the same time/);
  });
});
