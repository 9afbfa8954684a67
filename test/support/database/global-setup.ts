import { chmodSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../core/embedded-postgres/embedded-postgres.ts";
import { migrate } from "../../../core/migrate.ts";

declare global {
  var moraineTestServer: EmbeddedPostgres | undefined;
  var moraineTestDirectory: string | undefined;
}

/** One real PostgreSQL server for a run of the tests, with a migrated template that each test file copies. */
export default async function startServer(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "moraine-test-"));
  // Within reach of the account that the server has where root runs the tests.
  chmodSync(directory, 0o755);
  const server = await startEmbeddedPostgres(directory);
  globalThis.moraineTestDirectory = directory;
  globalThis.moraineTestServer = server;
  await migrate(server.url);
  const client = new pg.Client({ connectionString: server.url.replace(/moraine$/, "postgres") });
  await client.connect();
  await client.query("ALTER DATABASE moraine RENAME TO moraine_template");
  for (const setting of ["fsync = off", "synchronous_commit = off", "full_page_writes = off"])
    await client.query(`ALTER SYSTEM SET ${setting}`);
  await client.query("SELECT pg_reload_conf()");
  await client.end();
  process.env["MORAINE_TEST_SERVER"] = server.url.replace(/\/moraine$/, "");
}
