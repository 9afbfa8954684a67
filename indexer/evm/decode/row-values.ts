import { BadUpstreamData } from "../../../core/errors.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import { bytes, quantity } from "../wire/values.ts";
import type { Value } from "./columns.ts";

const MAX_BIGINT = (1n << 63n) - 1n;
const MAX_DIGITS = String(MAX_BIGINT).length;

/** Decimal text of a hex quantity for a BIGINT column. Throws `BadUpstreamData` if it does not fit. */
export function bigintText(value: unknown, what: string): string {
  const text = quantity(value, what, 64);
  if (text.length >= MAX_DIGITS && BigInt(text) > MAX_BIGINT)
    throw new BadUpstreamData(`${what} is ${text}, more than 63 bits`);
  return text;
}

export function optionalQuantity(value: unknown, what: string, bits: number): Value {
  return value === undefined || value === null ? null : quantity(value, what, bits);
}

export function optionalAddress(value: string | null | undefined, what: string): Value {
  return value ? pgBytes(bytes(value, what, 20)) : null;
}
