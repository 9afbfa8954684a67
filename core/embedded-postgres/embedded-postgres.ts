import { resolve } from "node:path";
import pg from "pg";
import { usingDataDirectory } from "../config/data-directory.ts";
import { openSession } from "../database/postgres/connect.ts";
import { messageOf } from "../errors/errors.ts";
import { createLogger } from "../observability/logger.ts";
import { createOutageLog } from "../observability/outage-log.ts";
import { counterOf } from "../observability/registry.ts";
import { serverAccount } from "./account.ts";
import { clusterExists, createCluster } from "./cluster.ts";
import { clusterPath, clusterPathsFor } from "./cluster-paths.ts";
import { readPostmaster } from "./lock-file.ts";
import { type Cluster, runServer, type ServerSettings, stopAfterSessions, stopUnlessUsed } from "./postmaster.ts";

const WATCH_INTERVAL_MS = 1_000;

/** A running server. Disposing it stops the server unless another process still uses it. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** Asks the server to stop when no session is open, and does not wait for that. It accepts no new sessions. */
  abandon(): void;
  /** Connection URL of the database `moraine`, including the password. */
  readonly url: string;
}

/** True if `startEmbeddedPostgres` has created a cluster below the directory. */
export function hasCluster(directory: string): boolean {
  return clusterExists(clusterPath(resolve(directory)));
}

/**
 * Starts the bundled PostgreSQL server with its data below `directory`, and creates the cluster at the first start. Uses
 * the server that another process has started with the same directory, or that a killed process left behind. Works as an ordinary
 * user and as root, where the server runs as another account. Throws `ConfigError` if the directory cannot be used. Aborting
 * the signal before the promise settles rejects it with the signal's reason; no server and no unfinished files remain. `settings` are
 * settings of PostgreSQL which replace those of Moraine if this call starts the server.
 */
export function startEmbeddedPostgres(
  directory: string,
  signal?: AbortSignal,
  settings: ServerSettings = {},
): Promise<EmbeddedPostgres> {
  return usingDataDirectory(directory, () => start(directory, signal, settings));
}

async function start(
  directory: string,
  signal: AbortSignal | undefined,
  settings: ServerSettings,
): Promise<EmbeddedPostgres> {
  signal?.throwIfAborted();
  forgetVariables();
  const account = serverAccount();
  const paths = clusterPathsFor(resolve(directory), account);
  const password = await createCluster(paths, account, signal);
  const urlOf = (port: number, database: string) => `postgresql://moraine:${password}@127.0.0.1:${port}/${database}`;
  const cluster: Cluster = { paths, account, settings, urlAt: (port) => urlOf(port, "postgres") };
  const { port } = await runServer(cluster, { signal });
  try {
    await createDatabase(cluster.urlAt(port));
    signal?.throwIfAborted();
  } catch (error) {
    await stopUnlessUsed(cluster);
    throw error;
  }
  const watch = restartWhenDead(cluster, () => usingDataDirectory(directory, () => runServer(cluster, { port })));
  return {
    url: urlOf(port, "moraine"),
    abandon: () => stopAfterSessions(cluster),
    async [Symbol.asyncDispose]() {
      await watch[Symbol.asyncDispose]();
      await stopUnlessUsed(cluster);
    },
  };
}

/**
 * Removes the environment variables of libpq, such as PGOPTIONS, from this process and those that it starts: the driver and the server read
 * them, and an operator sets them for another server.
 */
function forgetVariables(): void {
  for (const name of Object.keys(process.env)) if (/^PG[A-Z]+$/.test(name)) delete process.env[name];
}

/** Restarts a server that died. */
function restartWhenDead(cluster: Cluster, restart: () => Promise<unknown>): AsyncDisposable {
  const restarts = counterOf("processRestarts", { name: "the embedded PostgreSQL" });
  const outage = createOutageLog({ logger: createLogger("info"), subject: "the restart of the embedded PostgreSQL" });
  let restarting: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    if (restarting || readPostmaster(cluster.paths)) return;
    restarting = restart()
      .then(() => {
        restarts.add();
        outage.succeeded();
      })
      .catch((error: unknown) => outage.failed({}, messageOf(error)))
      .finally(() => {
        restarting = null;
      });
  }, WATCH_INTERVAL_MS);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await restarting;
    },
  };
}

/** Codes of the error that another process has created the database in the meantime. */
const DUPLICATE_DATABASE = new Set(["42P04", "23505"]);

async function createDatabase(url: string): Promise<void> {
  const client = await openSession(url);
  try {
    if ((await client.query("SELECT FROM pg_database WHERE datname = 'moraine'")).rowCount === 1) return;
    await client.query("CREATE DATABASE moraine");
  } catch (error) {
    if (!(error instanceof pg.DatabaseError && DUPLICATE_DATABASE.has(error.code ?? ""))) throw error;
  } finally {
    await client.end();
  }
}
