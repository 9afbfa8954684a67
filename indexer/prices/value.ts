import { decimalText, shifted } from "../../core/decimal.ts";

/** Digits after the point that the table keeps, and as many before it. */
const DIGITS = 30;
const LIMIT = 10n ** BigInt(2 * DIGITS);
const MOST_CHARACTERS = 200;
const MOST_EXPONENT = 100;

/**
 * A price as the table takes it: decimal text without exponent, rounded half up to 30 digits after the point. Null for
 * text that is no decimal number, with or without exponent, from 0 up to 30 digits before the point.
 */
export function parsePriceValue(text: string): string | null {
  const [, whole = "", fraction = "", exponent = "0"] = /^(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  if (whole === "" || text.length > MOST_CHARACTERS || Math.abs(Number(exponent)) > MOST_EXPONENT) return null;
  const value = shifted(BigInt(whole + fraction), DIGITS + Number(exponent) - fraction.length);
  return value < LIMIT ? decimalText(value, DIGITS) : null;
}
