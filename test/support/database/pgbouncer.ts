import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../node/listen.ts";

const PROGRAM = "/usr/sbin/pgbouncer";

/** A running PgBouncer in front of a database. Disposing it ends it. */
export interface Pgbouncer extends AsyncDisposable {
  /** Connection URL of the same database through PgBouncer. */
  readonly url: string;
}

/** `it`, or `it.skip` with the reason in the title if PgBouncer is not installed. */
export const itWithPgbouncer: (title: string, test: () => Promise<void>) => void = existsSync(PROGRAM)
  ? it
  : (title, test) => it.skip(`${title} (skipped: PgBouncer is not installed)`, test);

/** Starts PgBouncer with some sessions of the server, in one of its modes. */
export async function startPgbouncer(
  url: string,
  mode: "session" | "transaction" | "statement",
  sessions = 10,
): Promise<Pgbouncer> {
  const { hostname, port, username, password, pathname } = new URL(url);
  const folder = mkdtempSync(join(tmpdir(), "moraine-pgbouncer-"));
  chmodSync(folder, 0o755);
  const own = await freePort();
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
default_pool_size = ${sessions}
`,
  );
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn(PROGRAM, [...account, file], { stdio: "ignore" });
  await untilOpen(own, child);
  return {
    url: `postgresql://${username}@127.0.0.1:${own}${pathname}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function untilOpen(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(20);
  }
  throw new Error("PgBouncer did not start");
}
