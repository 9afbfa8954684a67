import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { bytes, isAbsent, quantity } from "../wire/values.ts";

const MAX_BIGINT = (1n << 63n) - 1n;

/** A hex quantity for a BIGINT column. Throws `BadUpstreamData` if it does not fit. */
export function bigintValue(value: unknown, what: string): number | bigint {
  const number = quantity(value, what, 64);
  if (number > MAX_BIGINT) throw new BadUpstreamData(`${what} is ${number}, more than 63 bits`);
  return number;
}

export function optionalQuantity(value: unknown, what: string, bits: number): number | bigint | null {
  return isAbsent(value) ? null : quantity(value, what, bits);
}

export function optionalAddress(value: unknown, what: string): string | null {
  return isAbsent(value) ? null : bytes(value, what, 20);
}
