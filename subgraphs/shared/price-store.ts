import { type Database, prepared } from "../../core/database.ts";
import { CURRENCIES, type Currency } from "../../core/prices.ts";
import type { Price } from "./price.ts";

/** What was known at a time. */
export interface PriceKey {
  /** Id at the source of prices. */
  readonly asset: string;
  readonly currency: Currency;
  /** Seconds since the epoch. */
  readonly timestamp: string;
}

export interface PricedKey extends PriceKey {
  readonly price: Price;
}

export interface PriceStore {
  /** The prices of these assets in all currencies at a time; one statement. What is not known is left out. */
  allAt(assets: readonly string[], timestamp: number): Promise<PricedKey[]>;
  /** The prices of these keys; one statement. What is not known is left out. */
  at(keys: readonly PriceKey[]): Promise<PricedKey[]>;
}

/** For each of many questions the newest price that is not younger than its time, nor older than that by `$n` seconds. */
const newest = (asked: string, maxAge: string): string => `SELECT k.asset, k.currency, k.timestamp, p.value
  FROM ${asked} AS k(asset, currency, timestamp), LATERAL (
    SELECT trim_scale(value)::text AS value FROM prices
    WHERE asset = k.asset AND currency = k.currency AND timestamp <= k.timestamp AND timestamp >= k.timestamp - ${maxAge}
    ORDER BY timestamp DESC LIMIT 1
  ) p`;

const ALL_AT = newest(
  "(SELECT a, c, $3::bigint FROM unnest($1::text[]) a CROSS JOIN unnest($2::text[]) c)",
  "$4::bigint",
);
const AT = newest("unnest($1::text[], $2::text[], $3::bigint[])", "$4::bigint");

interface Row {
  readonly asset: string;
  readonly currency: Currency;
  readonly timestamp: string;
  readonly value: string;
}

/** Prices that are older than `maxAgeSeconds` at the time in question count as unknown. */
export function createPriceStore({ pool }: Pick<Database, "pool">, maxAgeSeconds: number): PriceStore {
  const allAt = prepared<Row>(pool, "prices-all-at", ALL_AT);
  const at = prepared<Row>(pool, "prices-at", AT);
  return {
    allAt: async (assets, timestamp) => (await allAt([assets, CURRENCIES, timestamp, maxAgeSeconds])).map(pricedKey),
    at: async (keys) =>
      (
        await at([
          keys.map(({ asset }) => asset),
          keys.map(({ currency }) => currency),
          keys.map(({ timestamp }) => timestamp),
          maxAgeSeconds,
        ])
      ).map(pricedKey),
  };
}

function pricedKey({ asset, currency, timestamp, value }: Row): PricedKey {
  return { asset, currency, timestamp, price: { currencyCode: currency, value } };
}
