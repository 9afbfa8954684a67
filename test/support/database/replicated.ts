import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSession } from "../../../core/database/postgres/connect.ts";
import { ownerOf, serverAccount } from "../../../core/embedded-postgres/account.ts";
import { serverBinaries } from "../../../core/embedded-postgres/binaries.ts";
import { until } from "../indexed/indexing.ts";
import { freePort } from "../node/listen.ts";

/** A PostgreSQL server that a test kills and starts. */
export interface TestServer {
  /** Connection URL of the database `moraine`. */
  readonly url: string;
  start(): Promise<void>;
  /** Ends the server at once, with all its sessions. */
  kill(): Promise<void>;
  /** The first value of the first row of a statement. Default of `database`: that of the URL. */
  ask(statement: string, database?: string): Promise<unknown>;
}

/** A primary server and a standby that replicates it by streaming. Disposing it removes both. */
export interface Replicated extends AsyncDisposable {
  readonly primary: TestServer;
  readonly standby: TestServer;
  /** Waits until the standby has all that the primary server has written. */
  caughtUp(): Promise<void>;
}

const account = serverAccount();
const run = (file: string, ...args: string[]) =>
  execFileSync(file, args, { ...ownerOf(account), cwd: "/", stdio: "pipe" });

/** Starts both servers, with an empty database. The standby begins as a copy of the stopped primary server. */
export async function startReplicated(): Promise<Replicated> {
  const directory = mkdtempSync(join(tmpdir(), "moraine-replicated-"));
  chmodSync(directory, 0o755);
  if (account) chownSync(directory, account.uid, account.gid);
  const [first, second] = [join(directory, "primary"), join(directory, "standby")];
  run(serverBinaries(account).initdb, "-D", first, "-U", "moraine", "--auth=trust", "-E", "UTF8", "--locale=C", "-N");
  run("cp", "-a", first, second);
  const primary = await serverIn(first);
  const standby = await serverIn(second);
  writeFileSync(join(second, "standby.signal"), "");
  const { hostname, port } = new URL(primary.url);
  appendFileSync(
    join(second, "postgresql.auto.conf"),
    `primary_conninfo = 'host=${hostname} port=${port} user=moraine'\nwal_retrieve_retry_interval = '100ms'\n`,
  );
  await primary.start();
  await primary.ask("CREATE DATABASE moraine", MAINTENANCE);
  await standby.start();
  return {
    primary,
    standby,
    async caughtUp() {
      const position = await primary.ask("SELECT pg_current_wal_lsn()::text");
      const reached = `SELECT pg_last_wal_replay_lsn() >= '${position}'::pg_lsn`;
      await until(
        () => standby.ask(reached),
        (isReached) => isReached === true,
        "the standby to replay the log",
      );
    },
    async [Symbol.asyncDispose]() {
      await standby.kill();
      await primary.kill();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const MAINTENANCE = "postgres";

/** The settings of both servers. */
const SETTINGS = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "off",
  shared_buffers: "32MB",
};

/** A server of a cluster, which does not run yet. */
async function serverIn(cluster: string): Promise<TestServer> {
  const port = await freePort();
  const url = `postgresql://moraine@127.0.0.1:${port}/moraine`;
  let child: ChildProcess | null = null;
  const ask: TestServer["ask"] = async (statement, database = "moraine") => {
    const client = await openSession(url.replace(/moraine$/, database));
    try {
      const { rows } = await client.query<Record<string, unknown>>(statement);
      return Object.values(rows[0] ?? {})[0];
    } finally {
      await client.end();
    }
  };
  return {
    url,
    ask,
    async start() {
      const settings = Object.entries({ ...SETTINGS, port: String(port) }).flatMap(([name, value]) => [
        "-c",
        `${name}=${value}`,
      ]);
      const { postgres } = serverBinaries(account);
      child = spawn(postgres, ["-D", cluster, ...settings], { ...ownerOf(account), cwd: "/", stdio: "ignore" });
      const answers = () =>
        ask("SELECT 1", MAINTENANCE).then(
          () => true,
          () => false,
        );
      await until(answers, (isUp) => isUp, "PostgreSQL to accept connections");
    },
    async kill() {
      if (!child || child.exitCode !== null) return;
      const ended = once(child, "exit");
      // Immediate shutdown: SIGKILL would leave its children for a moment.
      child.kill("SIGQUIT");
      await ended;
    },
  };
}
