import type { L1FeeRules } from "../../network/rules.ts";

const MAX_U64 = (1n << 64n) - 1n;

/** `minPrice` times e^(excess / constant), by the series that the nodes sum (that of EIP-4844); at most 64 bits. */
export function priceAt(
  { minPrice, excessConversionConstant: constant }: Pick<L1FeeRules, "minPrice" | "excessConversionConstant">,
  excess: bigint,
) {
  let term = minPrice * constant;
  let sum = 0n;
  for (let i = 1n; term > 0n; i++) {
    sum += term;
    if (sum >= constant * MAX_U64) return MAX_U64;
    term = (term * excess) / constant / i;
  }
  return sum / constant;
}

/** The excess after some seconds with that many active validators. */
export function excessAfter(excess: bigint, active: bigint, target: bigint, seconds: bigint): bigint {
  const moved = excess + (active - target) * seconds;
  if (moved <= 0n) return 0n;
  return moved > MAX_U64 ? MAX_U64 : moved;
}

/** What one validator pays over some seconds while that many are active: each second costs its own price. */
export function costOf(rules: L1FeeRules, excess: bigint, active: bigint, seconds: number): bigint {
  if (active === rules.target) return priceAt(rules, excess) * BigInt(seconds);
  let cost = 0n;
  let at = excess;
  for (let second = 0; second < seconds; second++) {
    at = excessAfter(at, active, rules.target, 1n);
    // From here on it stays at nothing: the excess only moves one way.
    if (at === 0n) return cost + rules.minPrice * BigInt(seconds - second);
    cost += priceAt(rules, at);
  }
  return cost;
}
