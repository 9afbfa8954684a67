import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, renameSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { withSession } from "../database/postgres/connect.ts";
import { messageOf } from "../errors/errors.ts";
import { type Account, ownerOf } from "./account.ts";
import { serverBinaries } from "./binaries.ts";
import { type ClusterPaths, sizeOf } from "./cluster-paths.ts";
import { lockFilePath, type Postmaster, readPostmaster, serverOfOriginal } from "./lock-file.ts";
import { startFailure } from "./start-failure.ts";

const START_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 25;
const STOP_TIMEOUT_MS = 10_000;
/** Sessions count as those of another process if they are there at so many checks, for half a second. */
const SESSION_CHECKS = 20;

/** `npm start` asks for more if the settings need them. */
export const LEAST_CONNECTIONS = 200;

/** Settings of PostgreSQL by name. */
export type ServerSettings = Readonly<Record<string, string>>;

/** Reasons for these settings: docs/behaviour/embedded-postgresql.md. */
const SETTINGS: ServerSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: String(LEAST_CONNECTIONS),
  shared_buffers: `${sharedBuffersMegabytes()}MB`,
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  max_wal_size: "2GB",
  wal_compression: "off",
  checkpoint_timeout: "15min",
  jit: "off",
  // Ends a statement of a client that is gone, which would keep the server running. Windows does not tell.
  ...(process.platform === "win32" ? {} : { client_connection_check_interval: "200ms" }),
};

/** A quarter of the machine's memory or of the limit of its container, from 128 MB to 2 GB. */
function sharedBuffersMegabytes(): number {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.min(Math.max(Math.floor(bytes / 4 / 2 ** 20), 128), 2_048);
}

/** A cluster, the account that owns it, and how to reach its server. */
export interface Cluster {
  readonly paths: ClusterPaths;
  readonly account: Account | null;
  readonly settings: ServerSettings;
  /** Connection URL of the maintenance database at that port. */
  urlAt(port: number): string;
}

/**
 * Resolves when the cluster's server accepts connections. If no server runs, starts one at `port` (default: a free
 * one); if two processes start one at once, both use the same. Aborting the signal stops a server that this call
 * started.
 */
export async function runServer(
  cluster: Cluster,
  { port, signal }: { readonly port?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<Postmaster> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let started: StartedServer | null = null;
  for (;;) {
    if (signal?.aborted) {
      await started?.stop();
      throw signal.reason;
    }
    const running = await runningServer(cluster);
    if (running?.refusal === null) return running;
    if (started?.hasEnded()) {
      const log = started.log();
      // The server of another process was faster: wait for that one.
      if (!/lock file "[^"]*" (already exists|is empty)|pre-existing shared memory/.test(log))
        throw startFailure(log, cluster.paths, cluster.account);
      started = null;
    }
    if (Date.now() > deadline)
      throw new Error(`PostgreSQL did not start within 120 s: ${started?.log() || running?.refusal}`);
    if (!running && !started) {
      removeOutdatedLock(cluster.paths);
      started = startServer(cluster, port ?? (await freePort()));
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

/** At a start, a longer log of the server gets the suffix `.1`, and replaces the one that has it. */
const MAX_LOG_BYTES = 10e6;

interface StartedServer {
  hasEnded(): boolean;
  /** The text that the server has logged since its start. */
  log(): string;
  /** Shuts the server down; resolves when it has ended. */
  stop(): Promise<void>;
}

function startServer({ paths, account, settings: own }: Cluster, port: number): StartedServer {
  const settings = Object.entries({ ...SETTINGS, ...own, port: String(port) }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  if (sizeOf(paths.log) > MAX_LOG_BYTES) renameSync(paths.log, `${paths.log}.1`);
  const logStart = sizeOf(paths.log);
  const log = openSync(paths.log, "a");
  const child = spawn(serverBinaries(account).postgres, ["-D", paths.cluster, ...settings], {
    ...ownerOf(account),
    cwd: "/",
    // A session of its own: on Ctrl-C, Moraine closes its connections first and then stops the server.
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  let failure: Error | null = null;
  child.once("error", (error) => {
    failure = error;
  });
  child.unref();
  const hasEnded = () => failure !== null || child.exitCode !== null || child.signalCode !== null;
  return {
    hasEnded,
    log: () => failure?.message ?? readFileSync(paths.log).subarray(logStart).toString().trim(),
    async stop() {
      if (hasEnded()) return;
      child.ref();
      child.kill("SIGINT");
      await once(child, "exit");
    },
  };
}

/** Shuts the server down unless other sessions are connected. Resolves when it has ended, after 10 s at most. */
export async function stopUnlessUsed({ paths, urlAt }: Cluster): Promise<void> {
  const postmaster = readPostmaster(paths);
  if (!postmaster || (await hasOtherSessions(urlAt(postmaster.port)))) return;
  process.kill(postmaster.pid, "SIGINT");
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (readPostmaster(paths) && Date.now() < deadline) await sleep(POLL_INTERVAL_MS);
}

/** Asks the server to shut down when the last session ends, and to accept no new ones. */
export function stopAfterSessions({ paths }: Cluster): void {
  const postmaster = readPostmaster(paths);
  if (postmaster) process.kill(postmaster.pid, "SIGTERM");
}

/**
 * The cluster's server, and why it accepts no connection; null if it accepts one. Null if no server runs: one that answers at the port of
 * the lock file is used only if it says that its data directory is this one.
 */
async function runningServer({ paths, urlAt }: Cluster): Promise<(Postmaster & { refusal: string | null }) | null> {
  const postmaster = readPostmaster(paths);
  if (!postmaster) return null;
  // The server would log the refusal as an error.
  if (postmaster.status !== "ready") return { ...postmaster, refusal: `it is ${postmaster.status || "starting"}` };
  try {
    const answered = await dataDirectoryAt(urlAt(postmaster.port));
    return answered === postmaster.dataDirectory ? { ...postmaster, refusal: null } : null;
  } catch (error) {
    return { ...postmaster, refusal: messageOf(error) };
  }
}

async function dataDirectoryAt(url: string): Promise<string> {
  const ask = (session: pg.Client) => session.query<{ readonly data_directory: string }>("SHOW data_directory");
  const { rows } = await withSession(url, ask, { connectionTimeoutMillis: 5_000 });
  return rows[0]?.data_directory ?? "";
}

/** Removes a lock file that names no server of this cluster, which would keep the server from starting. */
function removeOutdatedLock(paths: ClusterPaths): void {
  const original = serverOfOriginal(paths);
  if (original)
    console.error(
      `${paths.cluster} is a copy of ${original.dataDirectory} that was made while a server ran there: the copy may be damaged. To copy safely, stop the process that uses the original first`,
    );
  rmSync(lockFilePath(paths), { force: true });
}

const OTHER_SESSIONS = "SELECT FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";

/** True if other clients have sessions. Those of clients that have just ended or were killed stay for a moment. */
function hasOtherSessions(url: string): Promise<boolean> {
  return withSession(url, async (session) => {
    for (let attempt = 0; attempt < SESSION_CHECKS; attempt++) {
      if ((await session.query(OTHER_SESSIONS)).rowCount === 0) return false;
      await sleep(POLL_INTERVAL_MS);
    }
    return true;
  });
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer();
    server.on("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}
