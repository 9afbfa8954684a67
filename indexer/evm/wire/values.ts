import { BadUpstreamData, quoted } from "../../../core/errors/errors.ts";
import { type HexForm, hexFormOf, smallNumberOf } from "./hex-digits.ts";

/** `0x` and the digits of 256 bits. */
const MAX_QUANTITY_CHARACTERS = 2 + 64;
/** `0x` and the hex digits that a JavaScript number always holds exactly. */
const MAX_NUMBER_CHARACTERS = 2 + 12;

/** What a value is, for an error. A function makes the text only if there is an error, which takes less time. */
export type What = string | (() => string);

const textOf = (what: What): string => (typeof what === "string" ? what : what());

/** True for a member that a node leaves out or gives as null: both mean the same. */
export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/**
 * A hex quantity of at most `bits` bits (256); a bigint only if a JavaScript number does not hold it exactly. Throws `BadUpstreamData` that
 * names `what`.
 */
export function quantity(value: unknown, what: What, bits = 256): number | bigint {
  const number = typeof value === "string" ? numberOf(value) : null;
  if (number === null) throw invalid(value, what, "a hex quantity");
  if (number >= 2 ** bits) throw new BadUpstreamData(`${textOf(what)} is ${quoted(value)}, more than ${bits} bits`);
  return number;
}

/** The same as decimal text. */
export function quantityText(value: unknown, what: What, bits?: number): string {
  return String(quantity(value, what, bits));
}

/** Null unless the text is a hex quantity. */
function numberOf(text: string): number | bigint | null {
  if (text.length <= 2 || text.length > MAX_QUANTITY_CHARACTERS) return null;
  if (text.length <= MAX_NUMBER_CHARACTERS) return smallNumberOf(text);
  if (hexFormOf(text) === "not hex") return null;
  const number = BigInt(text);
  return number > Number.MAX_SAFE_INTEGER ? number : Number(number);
}

/** A hex quantity as a number. Throws `BadUpstreamData` if a JavaScript number cannot hold it exactly. */
export function integer(value: unknown, what: What): number {
  const number = Number(quantity(value, what, 64));
  if (!Number.isSafeInteger(number)) throw new BadUpstreamData(`${textOf(what)} is ${quoted(value)}, too large`);
  return number;
}

/** The value, if it is a JSON object; its members are not checked. Throws `BadUpstreamData`. */
export function object(value: unknown, what: What): object {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new BadUpstreamData(`${textOf(what)} is ${quoted(value)}, not an object`);
  return value;
}

/**
 * Lower-case hex digits, without `0x`, of a byte string of `length` bytes; of any length by default. Throws
 * `BadUpstreamData`.
 */
export function bytes(value: unknown, what: What, length?: number): string {
  const form = bytesForm(value, length);
  if (form === "not hex") throw notBytes(value, what, length);
  const digits = (value as string).slice(2);
  return form === "lower case" ? digits : digits.toLowerCase();
}

/** Throws `BadUpstreamData` like `bytes`. */
export function requireBytes(value: unknown, what: What, length?: number): void {
  if (bytesForm(value, length) === "not hex") throw notBytes(value, what, length);
}

const bytesForm = (value: unknown, length: number | undefined): HexForm =>
  typeof value === "string" && hasLength(value, length) ? hexFormOf(value) : "not hex";

const hasLength = (text: string, bytesLength: number | undefined): boolean =>
  bytesLength === undefined ? text.length % 2 === 0 : text.length === 2 + 2 * bytesLength;

const notBytes = (value: unknown, what: What, length: number | undefined): BadUpstreamData =>
  invalid(value, what, `${length ?? "any number of"} bytes in hex`);

const invalid = (value: unknown, what: What, expected: string): BadUpstreamData =>
  new BadUpstreamData(
    isAbsent(value) ? `${textOf(what)} is missing` : `${textOf(what)} is ${quoted(value)}, not ${expected}`,
  );

/** Throws `BadUpstreamData` that names `what` if the two values differ. */
export function requireEqual(what: string, actual: unknown, expected: unknown): void {
  if (actual !== expected) throw unequal(what, actual, expected);
}

/** The error for two values that differ. */
export const unequal = (what: string, actual: unknown, expected: unknown): BadUpstreamData =>
  new BadUpstreamData(`${what} is ${quoted(actual)}, expected ${quoted(expected)}`);
