/** A quotient of amounts as decimal text, rounded half up to two decimals, without zeros at the end. */
export function twoDecimals(dividend: bigint, divisor: bigint): string {
  const hundredths = roundedQuotient(dividend * 100n, divisor);
  const decimals = (hundredths % 100n).toString().padStart(2, "0").replace(/0+$/, "");
  return `${hundredths / 100n}${decimals === "" ? "" : `.${decimals}`}`;
}

/** A quotient of amounts, rounded half up to an integer. */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}
