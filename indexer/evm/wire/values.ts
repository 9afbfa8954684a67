import { BadUpstreamData, quoted } from "../../../core/errors.ts";

const HEX = /^0x[0-9a-f]*$/i;
const QUANTITY = /^0x[0-9a-f]{1,64}$/i;
/** `0x` and the hex digits that a JavaScript number always holds exactly. */
const MAX_NUMBER_CHARACTERS = 2 + 12;

/** Decimal text of a hex quantity of at most `bits` bits (256). Throws `BadUpstreamData` that names `what`. */
export function quantity(value: unknown, what: string, bits = 256): string {
  if (typeof value !== "string" || !QUANTITY.test(value))
    throw new BadUpstreamData(`${what} is ${quoted(value)}, not a hex quantity`);
  const number = value.length <= MAX_NUMBER_CHARACTERS ? Number.parseInt(value, 16) : BigInt(value);
  if (number >= 2 ** bits) throw new BadUpstreamData(`${what} is ${quoted(value)}, more than ${bits} bits`);
  return number.toString();
}

/** A hex quantity as a number. Throws `BadUpstreamData` if a JavaScript number cannot hold it exactly. */
export function integer(value: unknown, what: string): number {
  const number = Number(quantity(value, what, 64));
  if (!Number.isSafeInteger(number)) throw new BadUpstreamData(`${what} is ${quoted(value)}, too large`);
  return number;
}

/** The value, if it is a JSON object; its members are not checked. Throws `BadUpstreamData`. */
export function object(value: unknown, what: string): object {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new BadUpstreamData(`${what} is ${quoted(value)}, not an object`);
  return value;
}

/**
 * Lower-case hex digits, without `0x`, of a byte string of `length` bytes; of any length by default. Throws
 * `BadUpstreamData`.
 */
export function bytes(value: unknown, what: string, length?: number): string {
  const isHex = typeof value === "string" && value.length % 2 === 0 && HEX.test(value);
  if (!isHex || (length !== undefined && value.length !== 2 + 2 * length))
    throw new BadUpstreamData(`${what} is ${quoted(value)}, not ${length ?? "any number of"} bytes in hex`);
  return value.slice(2).toLowerCase();
}

/** Throws `BadUpstreamData` that names `what` if the two values differ. */
export function requireEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new BadUpstreamData(`${what} is ${quoted(actual)}, expected ${quoted(expected)}`);
}
