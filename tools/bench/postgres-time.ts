import { readFileSync } from "node:fs";
import pg from "pg";

/** Measures the processor time of PostgreSQL. Disposing it ends its own session. */
export interface PostgresTime extends AsyncDisposable {
  /** Processor time that the present sessions of the database have used, in milliseconds. NaN if the system does not tell it as Linux does. */
  ms(): Promise<number>;
}

const SESSIONS = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
const NANOSECONDS_PER_MS = 1e6;

export async function startPostgresTime(url: string): Promise<PostgresTime> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return {
    async ms() {
      const { rows } = await client.query<{ pid: number }>(SESSIONS);
      return rows.reduce((sum, { pid }) => sum + timeOf(pid), 0);
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}

function timeOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]) / NANOSECONDS_PER_MS;
  } catch {
    return Number.NaN;
  }
}
