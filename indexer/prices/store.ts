import type { PriceRow } from "./source.ts";

const MAX_ROWS = 5_000;

/** A connection within a transaction. */
export interface PriceSession {
  query(text: string, values: readonly unknown[]): Promise<unknown>;
}

const UPSERT = `INSERT INTO prices (asset, currency, timestamp, value)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::numeric[])
  ON CONFLICT (asset, currency, timestamp) DO UPDATE SET value = excluded.value WHERE prices.value <> excluded.value`;

/** Inserts or updates prices. Of several for the same asset, currency and time, the last is stored. */
export async function writePrices(session: PriceSession, prices: readonly PriceRow[]): Promise<void> {
  // A statement may update a row only once.
  const byKey = new Map(prices.map((price) => [`${price.asset}\n${price.currency}\n${price.timestamp}`, price]));
  // All writers lock rows in the same order, so that they do not deadlock.
  const all = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, price]) => price);
  for (let from = 0; from < all.length; from += MAX_ROWS) {
    const rows = all.slice(from, from + MAX_ROWS);
    await session.query(UPSERT, [
      rows.map(({ asset }) => asset),
      rows.map(({ currency }) => currency),
      rows.map(({ timestamp }) => timestamp),
      rows.map(({ value }) => value),
    ]);
  }
}
