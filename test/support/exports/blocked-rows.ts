import type pg from "pg";
import { until } from "../indexed/indexing.ts";

/** Lets exports wait for their rows until it is disposed. */
export interface BlockedRows extends AsyncDisposable {
  /** Resolves when a job waits. */
  untilWaiting(): Promise<void>;
  /** Lets the exports continue. */
  release(): Promise<void>;
}

/** Locks a table that every export of an EVM chain reads. */
export async function blockRows(pool: pg.Pool): Promise<BlockedRows> {
  const client = await pool.connect();
  await client.query("BEGIN");
  await client.query("LOCK TABLE evm_deployments IN ACCESS EXCLUSIVE MODE");
  const waiting = async () => {
    const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
      AND application_name LIKE 'moraine export rows %'`;
    // Within one transaction, this view does not change.
    return (await pool.query(text)).rowCount ?? 0;
  };
  let isReleased = false;
  const release = async () => {
    if (isReleased) return;
    isReleased = true;
    await client.query("ROLLBACK");
    client.release();
  };
  return {
    untilWaiting: async () => void (await until(waiting, (count) => count > 0, "a job that waits for rows")),
    release,
    [Symbol.asyncDispose]: release,
  };
}
