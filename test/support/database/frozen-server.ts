import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** Process id of the embedded server whose data is in this directory. */
export function postmasterPid(directory: string): number {
  return Number(readFileSync(join(directory, "postgres/postmaster.pid"), "utf8").split("\n")[0]);
}

/** Stops all processes of an embedded server with SIGSTOP; disposing it lets them continue. */
export async function freezeServer(directory: string, pool: pg.Pool): Promise<Disposable> {
  const frozen = new Set<number>();
  const freeze = (pid: number) => {
    if (!frozen.has(pid)) signalTo(pid, "SIGSTOP");
    frozen.add(pid);
  };
  const client = await pool.connect();
  // The postmaster first, so that no session is added; one that it has just forked appears a moment later.
  freeze(postmasterPid(directory));
  for (let look = 0; look < 3; look++) {
    const { rows } = await client.query<{ pid: number }>(
      "SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()",
    );
    for (const { pid } of rows) freeze(pid);
    await sleep(50);
  }
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  for (const { pid } of rows) freeze(pid);
  client.release();
  return {
    [Symbol.dispose]() {
      for (const pid of frozen) signalTo(pid, "SIGCONT");
    },
  };
}

/** A session may end at any time. */
function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
