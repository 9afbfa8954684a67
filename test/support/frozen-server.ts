import { readFileSync } from "node:fs";
import { join } from "node:path";
import type pg from "pg";

/** Process of the embedded server whose data is in that directory. */
export function postmasterPid(directory: string): number {
  return Number(readFileSync(join(directory, "postgres/postmaster.pid"), "utf8").split("\n")[0]);
}

/** Stops an embedded server with all its sessions in their tracks; they go on when it is disposed. */
export async function freezeServer(directory: string, pool: pg.Pool): Promise<Disposable> {
  const { rows } = await pool.query<{ pid: number }>("SELECT pid FROM pg_stat_activity");
  const pids = [postmasterPid(directory), ...rows.map(({ pid }) => pid)];
  for (const pid of pids) signalTo(pid, "SIGSTOP");
  return {
    [Symbol.dispose]() {
      for (const pid of pids) signalTo(pid, "SIGCONT");
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
