import { BadUpstreamData, quoted } from "../../../core/errors.ts";
import { hexFormOf } from "./hex-digits.ts";

/** `0x` and the digits of 256 bits. */
const MAX_QUANTITY_CHARACTERS = 2 + 64;
/** `0x` and the hex digits that a JavaScript number always holds exactly. */
const MAX_NUMBER_CHARACTERS = 2 + 12;

/** Decimal text of a hex quantity of at most `bits` bits (256). Throws `BadUpstreamData` that names `what`. */
export function quantity(value: unknown, what: string, bits = 256): string {
  return parsedQuantity(value, what, bits).toString();
}

function parsedQuantity(value: unknown, what: string, bits: number): number | bigint {
  if (typeof value !== "string" || !isQuantity(value))
    throw new BadUpstreamData(`${what} is ${quoted(value)}, not a hex quantity`);
  const number = value.length <= MAX_NUMBER_CHARACTERS ? Number.parseInt(value, 16) : BigInt(value);
  if (number >= 2 ** bits) throw new BadUpstreamData(`${what} is ${quoted(value)}, more than ${bits} bits`);
  return number;
}

const isQuantity = (text: string): boolean =>
  text.length > 2 && text.length <= MAX_QUANTITY_CHARACTERS && hexFormOf(text) !== "not hex";

/** A hex quantity as a number. Throws `BadUpstreamData` if a JavaScript number cannot hold it exactly. */
export function integer(value: unknown, what: string): number {
  const number = Number(parsedQuantity(value, what, 64));
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
  const form = typeof value === "string" && hasLength(value, length) ? hexFormOf(value) : "not hex";
  if (form === "not hex")
    throw new BadUpstreamData(`${what} is ${quoted(value)}, not ${length ?? "any number of"} bytes in hex`);
  const digits = (value as string).slice(2);
  return form === "lower case" ? digits : digits.toLowerCase();
}

const hasLength = (text: string, bytesLength: number | undefined): boolean =>
  bytesLength === undefined ? text.length % 2 === 0 : text.length === 2 + 2 * bytesLength;

/** Throws `BadUpstreamData` that names `what` if the two values differ. */
export function requireEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw unequal(what, actual, expected);
}

/** The error for two values that differ. */
export const unequal = (what: string, actual: unknown, expected: unknown): BadUpstreamData =>
  new BadUpstreamData(`${what} is ${quoted(actual)}, expected ${quoted(expected)}`);
