import { decimalText, shifted } from "../../../core/formats/decimal.ts";

const MAX_DECIMALS = 18;

/**
 * Value of an amount in a token's smallest unit at the price of one whole token, both as decimal text. Computed exactly,
 * then rounded half up to 18 decimal places.
 */
export function balanceValue(balance: string, decimals: number, price: string): string {
  const [whole = "", fraction = ""] = price.split(".");
  const product = BigInt(balance) * BigInt(whole + fraction);
  return decimalText(shifted(product, MAX_DECIMALS - decimals - fraction.length), MAX_DECIMALS);
}
