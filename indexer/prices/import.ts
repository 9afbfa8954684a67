import type pg from "pg";
import type { PriceSource } from "./source.ts";
import { writePrices } from "./store.ts";

/**
 * Writes all that a source gives, or nothing when it fails or `signal` aborts, whose reason it throws then; returns how many
 * prices that were. Safe to do again.
 */
export async function importPrices(pool: pg.Pool, source: PriceSource, signal?: AbortSignal): Promise<number> {
  const client = await pool.connect();
  let count = 0;
  try {
    await client.query("BEGIN");
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
