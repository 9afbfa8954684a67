import { decimalText, shifted } from "../../../core/decimal.ts";

/** Most digits after the point that a worth is given with. */
const DIGITS = 18;

/**
 * What an amount of a token's smallest unit is worth at a price of the whole token, both as decimal text: exact but for
 * being rounded half up to 18 digits after the point.
 */
export function worthOf(balance: string, decimals: number, price: string): string {
  const [whole = "", fraction = ""] = price.split(".");
  const worth = BigInt(balance) * BigInt(whole + fraction);
  return decimalText(shifted(worth, DIGITS - decimals - fraction.length), DIGITS);
}
