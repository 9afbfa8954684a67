import type { ClientBase } from "pg";
import { decimalText, shifted } from "../../../core/formats/decimal.ts";
import { newestPrices } from "../../../core/networks/prices.ts";
import { type CachedValues, cachedLookup } from "./cached-lookup.ts";
import { readAll } from "./cursor.ts";

/** Digits after the point of amounts in US dollars. */
const USD_DIGITS = 6;
const KEYS = 20_000;

/** A price in US dollars of one whole unit. */
export interface Price {
  readonly text: string;
  /** The price is `digits` / 10^`scale`. */
  readonly digits: bigint;
  readonly scale: number;
}

/** Key of a price: `asset` is the id at the price source, `timestamp` is in seconds. */
export const priceKey = (asset: string, timestamp: string): string => `${timestamp} ${asset}`;

const AT = newestPrices(
  "(SELECT a, 'usd'::text, t FROM unnest($1::text[], $2::bigint[]) AS given(a, t))",
  "$3::bigint",
);

interface Row {
  readonly asset: string;
  readonly timestamp: string;
  readonly value: string;
  readonly [name: string]: string;
}

/** Returns a function that looks up the prices of a batch by `priceKey`, by the same rule as the graph. */
export function createPriceLookup(
  client: ClientBase,
  maxAgeSeconds: number,
): (keys: ReadonlySet<string>) => Promise<CachedValues<Price>> {
  return cachedLookup<Price>(async (keys) => {
    const parts = keys.map((key) => [key.slice(key.indexOf(" ") + 1), key.slice(0, key.indexOf(" "))] as const);
    const values = [parts.map(([asset]) => asset), parts.map(([, timestamp]) => timestamp), maxAgeSeconds];
    const rows = await readAll<Row>(client, AT, values);
    return rows.map(({ asset, timestamp, value }) => [priceKey(asset, timestamp), priceOf(value)]);
  }, KEYS);
}

function priceOf(text: string): Price {
  const [whole = "", fraction = ""] = text.split(".");
  return { text, digits: BigInt(whole + fraction), scale: fraction.length };
}

/** Millionths of a US dollar of `amount` / 10^`decimals` units, rounded half up. */
export function usdMicros(amount: bigint, decimals: number, { digits, scale }: Price): bigint {
  return shifted(amount * digits, USD_DIGITS - decimals - scale);
}

/** US dollars of millionths of a US dollar. */
export const usdTextOf = (micros: bigint): string => decimalText(micros, USD_DIGITS);

/** US dollars of `amount` / 10^`decimals` units, rounded half up to six digits after the point. */
export function usdText(amount: bigint, decimals: number, price: Price): string {
  return usdTextOf(usdMicros(amount, decimals, price));
}
