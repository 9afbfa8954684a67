import type pg from "pg";
import { namedLockKey } from "../../core/database/postgres/schema-names.ts";
import { type Clock, SYSTEM_CLOCK } from "../shared/clock.ts";
import type { PriceSource } from "./source.ts";
import { writePrices } from "./store.ts";

const LOCK_RETRY_MS = 200;
const NEVER = new AbortController().signal;

/**
 * Writes all prices of a source in one transaction, and returns their number. If the source fails, or if `signal` aborts, writes
 * nothing and throws the source's error or the signal's reason. Waits while another import runs, because the two may lock the
 * same rows in different orders.
 */
export async function importPrices(
  pool: pg.Pool,
  source: PriceSource,
  signal: AbortSignal = NEVER,
  clock: Clock = SYSTEM_CLOCK,
): Promise<number> {
  const client = await pool.connect();
  let count = 0;
  try {
    await client.query("BEGIN");
    while (!(await tryLock(client))) {
      signal.throwIfAborted();
      await clock.sleep(LOCK_RETRY_MS, NEVER);
    }
    for await (const prices of source.batches()) {
      await writePrices({ query: (text, values) => client.query(text, [...values]) }, prices);
      count += prices.length;
      signal.throwIfAborted();
    }
    await client.query("COMMIT");
    return count;
  } catch (error) {
    await client.query("ROLLBACK").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

/** Takes the lock of imports until the transaction ends; false if another import has it. */
async function tryLock(client: pg.PoolClient): Promise<boolean> {
  const text = `SELECT pg_try_advisory_xact_lock(${namedLockKey("'moraine prices'")}) AS got`;
  return (await client.query<{ got: boolean }>(text)).rows[0]?.got ?? false;
}
