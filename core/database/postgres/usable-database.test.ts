import pg from "pg";
import { asSuperuser, createEmptyDatabase, createTestDatabase } from "../../../test/support/database/database.ts";
import { itWithPgbouncer, startPgbouncer } from "../../../test/support/database/pgbouncer.ts";
import { schemaIn } from "../../config/connection-settings.ts";
import { requireUsable, usableDatabase } from "./usable-database.ts";

const SETTING = "setting databaseUrl \\(environment variable DATABASE_URL\\)";
const refused = (reason: string, remedy: string) =>
  new RegExp(`^the database cannot be used \\(${reason}\\): ${SETTING}: ${remedy}[^\\n]*$`);

describe("the schema of a database", () => {
  it.each([
    ["that of the URL", "?schema=of_url", "of_url"],
    ["that of the URL, also with a search_path", "?schema=of_url&options=-c%20search_path%3Dof_role", "of_url"],
    ["the first of the search_path of the URL", "?options=-c%20search_path%3Dmissing,of_role,public", "of_role"],
    ["otherwise public", "", "public"],
  ])("is %s", async (_which, query, expected) => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE SCHEMA of_role");
    expect(schemaIn(await usableDatabase(`${database.url}${query}`))).toBe(expected);
  });

  it("is the first of the search_path of the role or the database", async () => {
    await using database = await createTestDatabase();
    await database.pool.query("CREATE SCHEMA of_role");
    await database.pool.query(`ALTER DATABASE ${new URL(database.url).pathname.slice(1)} SET search_path = of_role`);
    expect(schemaIn(await usableDatabase(database.url))).toBe("of_role");
  });
});

describe("a database is refused in one sentence", () => {
  it.each<[object, string, string]>([
    [{ version: 14, versionText: "14.9 (Debian)" }, "the server is PostgreSQL 14.9 (Debian)", "name one of version 15"],
    [{ encoding: "LATIN1" }, "the database has the encoding LATIN1", "name a database that was created with"],
    [{ schema: null }, "no schema of the role's search_path exists", "create the schema, or name it"],
    ...["ä".repeat(21), 'with "quotes"', "with.dots"].map((schema): [object, string, string] => [
      { schema },
      `the schema ${JSON.stringify(schema)} has a name that Moraine cannot use`,
      "name one of at most 40 bytes",
    ]),
  ])("for %j", (difference, reason, remedy) => {
    const server = { version: 15, versionText: "15.0", encoding: "UTF8", schema: "public", ...difference };
    expect(() => requireUsable(server)).toThrow(refused(reason.replaceAll(/[().\\]/g, "\\$&"), remedy));
  });

  it("for another encoding than UTF8", async () => {
    await using database = await createEmptyDatabase("ENCODING 'LATIN1' LOCALE 'C'");
    await expect(usableDatabase(database.url)).rejects.toThrow(
      refused("the database has the encoding LATIN1", "name a database that was created with CREATE DATABASE"),
    );
  });

  it.each([
    ["a table", "CREATE TABLE users ()"],
    ["a view", "CREATE VIEW users AS SELECT 1"],
    [
      "a table, and migrations of Prisma",
      "CREATE TABLE users (); CREATE TABLE _prisma_migrations (migration_name text)",
    ],
  ])("for a schema with %s of another program", async (_what, statement) => {
    await using database = await createTestDatabase();
    await database.pool.query(`DROP SCHEMA public CASCADE; CREATE SCHEMA public; ${statement}`);
    await expect(usableDatabase(database.url)).rejects.toThrow(
      refused("its schema public has tables of another program, such as users", "name an empty database, or another"),
    );
    expect(schemaIn(await usableDatabase(`${database.url}?schema=own`))).toBe("own");
  });

  it("but not for a view of an extension, nor for a table that was added to those of Moraine", async () => {
    await using extended = await createTestDatabase();
    await extended.pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await asSuperuser(extended.url, "CREATE EXTENSION IF NOT EXISTS pg_stat_statements SCHEMA public").catch(() =>
      asSuperuser(extended.url, "CREATE EXTENSION pg_buffercache SCHEMA public"),
    );
    expect(schemaIn(await usableDatabase(extended.url))).toBe("public");
    await using own = await createTestDatabase();
    await own.pool.query("CREATE TABLE users ()");
    expect(schemaIn(await usableDatabase(own.url))).toBe("public");
  });
});

it("a database can be used although its role ends transactions that wait for their client", async () => {
  await using database = await createTestDatabase();
  const name = new URL(database.url).pathname.slice(1);
  await database.pool.query(`ALTER DATABASE "${name}" SET idle_in_transaction_session_timeout = 1`);
  expect(schemaIn(await usableDatabase(database.url))).toBe("public");
});

describe("PgBouncer", () => {
  for (const mode of ["transaction", "statement"] as const)
    for (const sessions of [1, 10])
      itWithPgbouncer(`in the mode ${mode} with ${sessions} sessions is refused in one sentence`, async () => {
        await using database = await createTestDatabase();
        await using pooler = await startPgbouncer(database.url, mode, sessions);
        // Sessions of other clients that it could give to these ones.
        await using others = await openAll(pooler.url, Math.min(3, sessions));
        expect(others.count).toBeGreaterThan(0);
        await expect(usableDatabase(pooler.url)).rejects.toThrow(
          refused(
            "a connection pooler shares its sessions between transactions",
            "name the server itself, or a pool in session",
          ),
        );
      });

  itWithPgbouncer("in the mode session can be used", async () => {
    await using database = await createTestDatabase();
    await using pooler = await startPgbouncer(database.url, "session");
    expect(schemaIn(await usableDatabase(pooler.url))).toBe("public");
  });
});

async function openAll(url: string, count: number): Promise<AsyncDisposable & { readonly count: number }> {
  const clients = Array.from({ length: count }, () => new pg.Client({ connectionString: url }));
  for (const client of clients) {
    client.on("error", () => {});
    await client.connect();
    await client.query("SELECT 1");
  }
  return { count, [Symbol.asyncDispose]: async () => void (await Promise.all(clients.map((client) => client.end()))) };
}
