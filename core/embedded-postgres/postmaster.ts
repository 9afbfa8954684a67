import { spawn } from "node:child_process";
import { closeSync, existsSync, openSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { totalmem } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { messageOf } from "../errors.ts";
import type { Account } from "./account.ts";
import { serverBinaries } from "./binaries.ts";
import { type Place, sizeOf } from "./place.ts";

const START_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 25;
const STOP_TIMEOUT_MS = 10_000;

/** Settings of PostgreSQL by name. */
export type ServerSettings = Readonly<Record<string, string>>;

/** Reasons for these settings: docs/behaviour/embedded-postgresql.md. */
const SETTINGS: ServerSettings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: `${sharedBuffersMegabytes()}MB`,
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  max_wal_size: "2GB",
  wal_compression: "off",
  checkpoint_timeout: "15min",
  jit: "off",
};

/** A quarter of the machine's memory or of the limit of its container, from 128 MB to 2 GB. */
function sharedBuffersMegabytes(): number {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.min(Math.max(Math.floor(bytes / 4 / 2 ** 20), 128), 2_048);
}

/** The main process of a running PostgreSQL server. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
}

/** A cluster, the account that owns it, and how to reach its server. */
export interface Cluster {
  readonly place: Place;
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
    const postmaster = readPostmaster(cluster.place);
    const refusal = postmaster ? await connectionRefusal(cluster.urlAt(postmaster.port)) : "no server is running";
    if (postmaster && refusal === null) return postmaster;
    if (started?.hasEnded()) {
      const log = started.log();
      // The server of another process was faster: wait for that one.
      if (!/lock file|shared memory/.test(log)) throw new Error(`PostgreSQL did not start: ${log}`);
      started = null;
    }
    if (Date.now() > deadline) throw new Error(`PostgreSQL did not start within 120 s: ${started?.log() || refusal}`);
    if (!postmaster && !started) {
      rmSync(join(cluster.place.cluster, "postmaster.pid"), { force: true });
      started = startServer(cluster, port ?? (await freePort()));
    }
    await sleep(POLL_INTERVAL_MS);
  }
}

interface StartedServer {
  hasEnded(): boolean;
  /** The text that the server has logged since its start. */
  log(): string;
  /** Shuts the server down; resolves when it has ended. */
  stop(): Promise<void>;
}

function startServer({ place, account, settings: own }: Cluster, port: number): StartedServer {
  const settings = Object.entries({ ...SETTINGS, ...own, port: String(port) }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const logStart = sizeOf(place.log);
  const log = openSync(place.log, "a");
  const owner = account ? { uid: account.uid, gid: account.gid } : {};
  const child = spawn(serverBinaries(account).postgres, ["-D", place.cluster, ...settings], {
    ...owner,
    cwd: "/",
    // A session of its own: on Ctrl-C, Moraine closes its connections first and then stops the server.
    detached: true,
    stdio: ["ignore", log, log],
  });
  closeSync(log);
  let failure: Error | null = null;
  const ended = new Promise<void>((done) => {
    child.once("exit", () => done());
    child.once("error", (error) => {
      failure = error;
      done();
    });
  });
  let hasEnded = false;
  ended.then(() => {
    hasEnded = true;
  });
  child.unref();
  return {
    hasEnded: () => hasEnded,
    log: () => failure?.message ?? readFileSync(place.log).subarray(logStart).toString().trim(),
    async stop() {
      child.ref();
      child.kill("SIGINT");
      await ended;
    },
  };
}

/** Shuts the server down unless other sessions are connected. Resolves when it has ended, after 10 s at most. */
export async function stopUnlessUsed({ place, urlAt }: Cluster): Promise<void> {
  const postmaster = readPostmaster(place);
  if (!postmaster || (await otherSessions(urlAt(postmaster.port))) > 0) return;
  process.kill(postmaster.pid, "SIGINT");
  const deadline = Date.now() + STOP_TIMEOUT_MS;
  while (readPostmaster(place) && Date.now() < deadline) await sleep(POLL_INTERVAL_MS);
}

/** The server that `postmaster.pid` names. Null if there is no such file or no PostgreSQL process has that id. */
export function readPostmaster(place: Place): Postmaster | null {
  try {
    const [pid, , , port] = readFileSync(join(place.cluster, "postmaster.pid"), "utf8").split("\n").map(Number);
    if (!pid || !port) return null;
    process.kill(pid, 0);
    const command = existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "postgres";
    return command.includes("postgres") ? { pid, port } : null;
  } catch (error) {
    const isOfAnotherUser = error instanceof Error && "code" in error && error.code === "EPERM";
    if (isOfAnotherUser) throw new Error(`another user runs the PostgreSQL server of ${place.cluster}`);
    return null;
  }
}

/** Null if a connection can be opened, else the error's message. */
async function connectionRefusal(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    await client.end();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

const OTHER_SESSIONS =
  "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";

async function otherSessions(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Sessions that this process has just closed stay in the view for a moment.
    for (let attempt = 0; ; attempt++) {
      const { rows } = await client.query<{ n: number }>(OTHER_SESSIONS);
      const count = rows[0]?.n ?? 0;
      if (count === 0 || attempt === 20) return count;
      await sleep(POLL_INTERVAL_MS);
    }
  } finally {
    await client.end();
  }
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
