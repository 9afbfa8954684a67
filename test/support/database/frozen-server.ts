import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

/** Process of the embedded server whose data is in that directory. */
export function postmasterPid(directory: string): number {
  return Number(readFileSync(join(directory, "postgres/postmaster.pid"), "utf8").split("\n")[0]);
}

/** Stops an embedded server with all its sessions in their tracks; they go on when it is disposed. */
export async function freezeServer(directory: string, pool: pg.Pool): Promise<Disposable> {
  const frozen = new Set<number>();
  const freeze = (pid: number) => {
    if (!frozen.has(pid)) signalTo(pid, "SIGSTOP");
    frozen.add(pid);
  };
  const client = await pool.connect();
  // First what makes sessions; one that it was about to make shows itself a moment later.
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

/** Sessions come and go by themselves. */
function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
