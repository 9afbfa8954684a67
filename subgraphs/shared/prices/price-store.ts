import { type Database, prepared } from "../../../core/database/database.ts";
import { CURRENCIES, type Currency, newestPrices } from "../../../core/networks/prices.ts";
import type { Work } from "../../../core/work/work.ts";
import type { Price } from "./price.ts";

/** The price of an asset at a time. */
export interface PriceKey {
  /** Id of the asset at the price source. */
  readonly asset: string;
  readonly currency: Currency;
  /** Seconds since the epoch. */
  readonly timestamp: string;
}

export interface PricedKey extends PriceKey {
  readonly price: Price;
}

export interface PriceStore {
  /** Reads the prices of these assets in all currencies at a time (in seconds), in one statement. Unknown prices are left out. */
  allAt(assets: readonly string[], timestamp: number, work: Work): Promise<PricedKey[]>;
  /** Reads the prices of these keys in one statement. Unknown prices are left out. */
  at(keys: readonly PriceKey[], work: Work): Promise<PricedKey[]>;
}

const ALL_AT = newestPrices(
  "(SELECT a, c, $3::bigint FROM unnest($1::text[]) a CROSS JOIN unnest($2::text[]) c)",
  "$4::bigint",
);
const AT = newestPrices("unnest($1::text[], $2::text[], $3::bigint[])", "$4::bigint");

interface Row {
  readonly asset: string;
  readonly currency: Currency;
  readonly timestamp: string;
  readonly value: string;
}

/** A price is unknown if the newest one at the requested time is older than `maxAgeSeconds`. */
export function createPriceStore({ pool }: Pick<Database, "pool">, maxAgeSeconds: number): PriceStore {
  const allAt = prepared<Row>(pool, "prices-all-at", ALL_AT);
  const at = prepared<Row>(pool, "prices-at", AT);
  return {
    allAt: async (assets, timestamp, work) =>
      (await allAt([assets, CURRENCIES, timestamp, maxAgeSeconds], work)).map(pricedKey),
    async at(keys, work) {
      const lists = [
        keys.map(({ asset }) => asset),
        keys.map(({ currency }) => currency),
        keys.map(({ timestamp }) => timestamp),
      ];
      return (await at([...lists, maxAgeSeconds], work)).map(pricedKey);
    },
  };
}

function pricedKey({ asset, currency, timestamp, value }: Row): PricedKey {
  return { asset, currency, timestamp, price: { currencyCode: currency, value } };
}
