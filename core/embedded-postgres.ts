import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Account, type Place, placeFor, serverAccount, serverBinaries } from "./embedded-postgres-place.ts";
import { messageOf } from "./errors.ts";

const START_TIMEOUT_MS = 120_000;
const WATCH_INTERVAL_MS = 1_000;
const PASSWORD_FILE = "moraine-password";
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "256MB",
  work_mem: "16MB",
  maintenance_work_mem: "128MB",
  max_wal_size: "2GB",
  wal_compression: "on",
  checkpoint_timeout: "15min",
  jit: "off",
};

/** A running server; disposing it stops the server unless another process still uses it. */
export interface EmbeddedPostgres extends AsyncDisposable {
  /** Connection URL of the database `moraine`, password included. */
  readonly url: string;
}

/**
 * Starts the PostgreSQL server whose binaries ship in the packages, with its data under `directory`; makes the cluster
 * at the first start. A server that a killed run left behind, or that another process of the same directory runs, is
 * used as it is. Works as root (the server then runs as another account) and as an ordinary user.
 */
export async function startEmbeddedPostgres(directory: string): Promise<EmbeddedPostgres> {
  const account = serverAccount();
  const place = placeFor(resolve(directory), account);
  if (!existsSync(join(place.cluster, "PG_VERSION"))) await createCluster(place, account);
  const password = readFileSync(join(place.cluster, PASSWORD_FILE), "utf8").trim();
  const urlOf = (port: number, database: string) => `postgresql://moraine:${password}@127.0.0.1:${port}/${database}`;
  const { port } = await runningServer(place, account, freePort, (at) => urlOf(at, "postgres"));
  await createDatabase(urlOf(port, "postgres"));
  const keeper = keepRunning(place, () =>
    runningServer(
      place,
      account,
      async () => port,
      (at) => urlOf(at, "postgres"),
    ),
  );
  return {
    url: urlOf(port, "moraine"),
    async [Symbol.asyncDispose]() {
      await keeper[Symbol.asyncDispose]();
      await stopUnlessUsed(place, urlOf(port, "postgres"));
    },
  };
}

/** A server that dies is started again, on the port that everybody knows. */
function keepRunning(place: Place, restart: () => Promise<unknown>): AsyncDisposable {
  let restarting: Promise<unknown> | null = null;
  const timer = setInterval(() => {
    if (restarting || readPostmaster(place)) return;
    restarting = restart()
      .catch((error: unknown) => console.error(`PostgreSQL died and could not be started again: ${messageOf(error)}`))
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

async function createCluster(place: Place, account: Account | null): Promise<void> {
  const fresh = `${place.cluster}.${process.pid}.${randomBytes(4).toString("hex")}`;
  const passwordFile = `${fresh}.password`;
  const password = randomBytes(24).toString("hex");
  mkdirSync(fresh, { recursive: true, mode: 0o700 });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  for (const path of account ? [fresh, passwordFile] : []) chownSync(path, account?.uid ?? 0, account?.gid ?? 0);
  try {
    const options = ["-D", fresh, "-U", "moraine", "--auth=scram-sha-256", "-E", "UTF8", "--locale=C"];
    await run(serverBinaries(account).initdb, [...options, `--pwfile=${passwordFile}`], account);
    renameSync(passwordFile, join(fresh, PASSWORD_FILE));
    if (!existsSync(place.cluster)) renameSync(fresh, place.cluster);
  } catch (error) {
    // Another process may have made the cluster meanwhile; then its cluster is the one.
    if (!existsSync(join(place.cluster, "PG_VERSION"))) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
    rmSync(passwordFile, { force: true });
  }
}

function run(file: string, args: readonly string[], account: Account | null): Promise<void> {
  return new Promise((done, failed) => {
    const child = spawn(file, args, { ...account, cwd: "/", stdio: ["ignore", "ignore", "pipe"] });
    let text = "";
    child.stderr.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
    child.on("error", failed);
    child.on("close", (code) =>
      code === 0 ? done() : failed(new Error(`${file} ended with ${code}: ${text.trim()}`)),
    );
  });
}

/** Uses the server that runs on the cluster, else starts one; whoever loses a race finds the winner's. */
async function runningServer(
  place: Place,
  account: Account | null,
  portOf: () => Promise<number>,
  urlOf: (port: number) => string,
): Promise<{ port: number }> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  let exited: string | null = null;
  let child: ReturnType<typeof startServer> | null = null;
  for (;;) {
    const postmaster = readPostmaster(place);
    const answer = postmaster ? await tryConnect(urlOf(postmaster.port)) : "not running";
    if (postmaster && answer === null) return postmaster;
    if (child?.ended()) {
      exited = child.log();
      child = null;
    }
    if (Date.now() > deadline) throw new Error(`PostgreSQL did not start: ${exited ?? answer}`);
    if (!postmaster && !child) {
      if (exited !== null && !/lock file|shared memory/.test(exited))
        throw new Error(`PostgreSQL did not start: ${exited}`);
      rmSync(join(place.cluster, "postmaster.pid"), { force: true });
      child = startServer(place, account, await portOf());
    }
    await sleep(25);
  }
}

function startServer(place: Place, account: Account | null, port: number) {
  const settings = Object.entries({ ...SETTINGS, port: String(port) }).flatMap(([name, value]) => [
    "-c",
    `${name}=${value}`,
  ]);
  const from = statSync(place.log, { throwIfNoEntry: false })?.size ?? 0;
  const log = openSync(place.log, "a");
  // Detached: Ctrl-C in a terminal must reach us first, so that connections close before the server does.
  const options = { ...account, cwd: "/", detached: true, stdio: ["ignore", log, log] as const };
  const child = spawn(serverBinaries(account).postgres, ["-D", place.cluster, ...settings], {
    ...options,
    stdio: [...options.stdio],
  });
  closeSync(log);
  let ended = false;
  child.on("exit", () => {
    ended = true;
  });
  child.on("error", () => {
    ended = true;
  });
  child.unref();
  return { ended: () => ended, log: () => readFileSync(place.log).subarray(from).toString().trim() };
}

/** The postmaster that the lock file names, if that process lives and is a PostgreSQL server; a stale file gives null. */
function readPostmaster(place: Place): { pid: number; port: number } | null {
  try {
    const [pid, , , port] = readFileSync(join(place.cluster, "postmaster.pid"), "utf8").split("\n").map(Number);
    if (!pid || !port) return null;
    process.kill(pid, 0);
    const command = existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, "utf8") : "postgres";
    return command.includes("postgres") ? { pid, port } : null;
  } catch (error) {
    const alive = error instanceof Error && "code" in error && error.code === "EPERM";
    if (alive) throw new Error(`the database in ${place.cluster} is run by another user`);
    return null;
  }
}

async function tryConnect(url: string): Promise<string | null> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    await client.end();
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("CREATE DATABASE moraine");
  } catch (error) {
    const exists = error instanceof pg.DatabaseError && (error.code === "42P04" || error.code === "23505");
    if (!exists) throw error;
  } finally {
    await client.end();
  }
}

async function stopUnlessUsed(place: Place, url: string): Promise<void> {
  const postmaster = readPostmaster(place);
  if (!postmaster || (await otherSessions(url)) > 0) return;
  process.kill(postmaster.pid, "SIGINT");
  for (let i = 0; i < 400 && readPostmaster(place); i++) await sleep(25);
}

async function otherSessions(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const own =
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
  // Sessions that this process has just closed may take a moment to leave the view.
  for (let i = 0; i < 20; i++) {
    const { rows } = await client.query<{ n: number }>(own);
    if (rows[0]?.n === 0) break;
    await sleep(25);
  }
  const { rows } = await client.query<{ n: number }>(own);
  await client.end();
  return rows[0]?.n ?? 0;
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
