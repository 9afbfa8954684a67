import type { L1FeeRules } from "../../network/rules.ts";

const MAX_U64 = (1n << 64n) - 1n;

/** The price `minPrice * e^(excess / constant)` in nAVAX per second, by the series of EIP-4844 as nodes sum it, at most 2^64 - 1. */
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

/** The fee excess after that many seconds with `active` validators. */
export function excessAfter(excess: bigint, active: bigint, target: bigint, seconds: bigint): bigint {
  const moved = excess + (active - target) * seconds;
  if (moved <= 0n) return 0n;
  return moved > MAX_U64 ? MAX_U64 : moved;
}

/** The fee that each of `active` validators pays for this number of seconds, in nAVAX. The price can change every second. */
export function costOf(rules: L1FeeRules, excess: bigint, active: bigint, seconds: number): bigint {
  if (active === rules.target) return priceAt(rules, excess) * BigInt(seconds);
  let cost = 0n;
  let at = excess;
  for (let second = 0; second < seconds; second++) {
    at = excessAfter(at, active, rules.target, 1n);
    // The excess moves in one direction only, so it stays 0 from here on.
    if (at === 0n) return cost + rules.minPrice * BigInt(seconds - second);
    cost += priceAt(rules, at);
  }
  return cost;
}
