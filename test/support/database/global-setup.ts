import { chmodSync, mkdtempSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../../core/embedded-postgres/embedded-postgres.ts";
import { migrate } from "../../../core/migrate.ts";

declare global {
  var moraineTestServer: EmbeddedPostgres | undefined;
  var moraineTestDirectory: string | undefined;
  var moraineRemoveRunFolder: (() => void) | undefined;
}

/**
 * Nothing in the databases of a run has to survive a crash, and none of them lives long enough to need a vacuum. PostgreSQL looks at
 * each shared buffer whenever a database is created or dropped, so there are few.
 */
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  wal_writer_delay: "10s",
  autovacuum: "off",
  shared_buffers: "128MB",
  // Reads from memory take less time than to ask a worker process for them.
  io_method: "sync",
  wal_level: "minimal",
  max_wal_senders: "0",
};

/** Free space that the databases of a run never fill. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/**
 * Starts one real PostgreSQL server for a run of the tests, with a migrated template database that test files copy.
 * The connection URL without a database name is in MORAINE_TEST_SERVER.
 */
export default async function startServer(): Promise<void> {
  const directory = mkdtempSync(join(fastDirectory(), "moraine-test-"));
  // Where root runs the tests, the server runs as another account, which must be able to enter the directory.
  chmodSync(directory, 0o755);
  const server = await startEmbeddedPostgres(directory, undefined, SETTINGS);
  globalThis.moraineTestDirectory = directory;
  globalThis.moraineTestServer = server;
  await migrate(server.url);
  const client = new pg.Client({ connectionString: server.url.replace(/moraine$/, "postgres") });
  await client.connect();
  await client.query("ALTER DATABASE moraine RENAME TO moraine_template");
  // Tests open hundreds of connections; the default of 4,096 hash rounds costs each some milliseconds on both sides.
  await client.query("SET scram_iterations = 1");
  await client.query(`ALTER ROLE moraine PASSWORD ${client.escapeLiteral(new URL(server.url).password)}`);
  await client.end();
  process.env["MORAINE_TEST_SERVER"] = server.url.replace(/\/moraine$/, "");
}

/** A directory in memory if it has room: a test database has hundreds of files, which a disk is slow to create and delete. */
function fastDirectory(): string {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize >= ENOUGH_BYTES ? "/dev/shm" : tmpdir();
  } catch {
    return tmpdir();
  }
}
