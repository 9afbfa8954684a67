import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { PriceSource } from "./source.ts";
import { writePrices } from "./store.ts";

const LOCK_RETRY_MS = 200;

/**
 * Writes all that a source gives, or nothing when it fails or `signal` aborts, whose reason it throws then; returns how many
 * prices that were. Safe to do again. Waits for another import to end: the two may write the same rows in another order.
 */
export async function importPrices(pool: pg.Pool, source: PriceSource, signal?: AbortSignal): Promise<number> {
  const client = await pool.connect();
  let count = 0;
  try {
    await client.query("BEGIN");
    while (!(await isAlone(client))) {
      signal?.throwIfAborted();
      await sleep(LOCK_RETRY_MS);
    }
    for await (const prices of source.batches()) {
      await writePrices({ query: (text, values) => client.query(text, [...values]) }, prices);
      count += prices.length;
      signal?.throwIfAborted();
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

/** True where nobody else imports until the transaction ends. */
async function isAlone(client: pg.PoolClient): Promise<boolean> {
  const text = "SELECT pg_try_advisory_xact_lock(hashtextextended('moraine prices', 0)) AS got";
  return (await client.query<{ got: boolean }>(text)).rows[0]?.got ?? false;
}
