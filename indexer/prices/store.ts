import type { PriceRow } from "./source.ts";

const MOST_ROWS = 5_000;

/** What a price is written with: a writer's transaction, or a connection within one. */
export interface PriceSession {
  query(text: string, values: readonly unknown[]): Promise<unknown>;
}

const UPSERT = `INSERT INTO prices (asset, currency, timestamp, value)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::numeric[])
  ON CONFLICT (asset, currency, timestamp) DO UPDATE SET value = excluded.value WHERE prices.value <> excluded.value`;

/** Writes prices; one that is there already for its asset, currency and time gives way. Of two for the same the last counts. */
export async function writePrices(session: PriceSession, prices: readonly PriceRow[]): Promise<void> {
  // A statement may name a row once.
  const byKey = new Map(prices.map((price) => [`${price.asset}\n${price.currency}\n${price.timestamp}`, price]));
  // In the same order by all who write, who else might wait for each other.
  const all = [...byKey].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, price]) => price);
  for (let from = 0; from < all.length; from += MOST_ROWS) {
    const rows = all.slice(from, from + MOST_ROWS);
    await session.query(UPSERT, [
      rows.map(({ asset }) => asset),
      rows.map(({ currency }) => currency),
      rows.map(({ timestamp }) => timestamp),
      rows.map(({ value }) => value),
    ]);
  }
}
