/** Returns `value` × 10^`exponent`, rounded half up to an integer. `value` must not be negative. */
export function shifted(value: bigint, exponent: number): bigint {
  if (exponent >= 0) return value * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (value + divisor / 2n) / divisor;
}

/** Returns `value` / 10^`digits` as decimal text without trailing zeros. `value` must not be negative. */
export function decimalText(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, "0");
  const fraction = text.slice(text.length - digits).replace(/0+$/, "");
  const whole = text.slice(0, text.length - digits);
  return fraction ? `${whole}.${fraction}` : whole;
}
