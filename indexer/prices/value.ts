import { decimalText, shifted } from "../../core/formats/decimal.ts";

/** Maximum number of digits after the point in the table, and also before it. */
const DIGITS = 30;
const LIMIT = 10n ** BigInt(2 * DIGITS);
const MAX_CHARACTERS = 200;
const MAX_EXPONENT = 100;

/**
 * Parses a price, with or without exponent, into decimal text without exponent, rounded half up to 30 digits after the point.
 * Null for anything else, for negative numbers, and for more than 30 digits before the point.
 */
export function parsePriceValue(text: string): string | null {
  const [, whole = "", fraction = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === "" || text.length > MAX_CHARACTERS || Math.abs(Number(exponent)) > MAX_EXPONENT) return null;
  const value = shifted(BigInt(whole + fraction), DIGITS + Number(exponent) - fraction.length);
  return value < LIMIT ? decimalText(value, DIGITS) : null;
}
