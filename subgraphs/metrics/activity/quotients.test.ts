import { roundedQuotient, twoDecimals } from "./quotients.ts";

describe("a quotient", () => {
  it.each([
    [0n, 7n, "0"],
    [1n, 200n, "0.01"],
    [1n, 201n, "0"],
    [1n, 3n, "0.33"],
    [2n, 3n, "0.67"],
    [5n, 10n, "0.5"],
    [100n, 1n, "100"],
    [1_005n, 1_000n, "1.01"],
    [1_004n, 1_000n, "1"],
    [10n ** 40n + 5n, 1_000n, `1${"0".repeat(37)}.01`],
  ])("of %s and %s is rounded half up to at most two decimals: %s", (dividend, divisor, text) => {
    expect(twoDecimals(dividend, divisor)).toBe(text);
  });

  it.each([
    [4n, 10n, 0n],
    [5n, 10n, 1n],
    [15n, 10n, 2n],
    [10n ** 30n + 1n, 3n, (10n ** 30n - 1n) / 3n + 1n],
  ])("of %s and %s is rounded half up to %s", (dividend, divisor, quotient) => {
    expect(roundedQuotient(dividend, divisor)).toBe(quotient);
  });
});
