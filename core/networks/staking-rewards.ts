/**
 * Parameters of staking rewards. A rate is the share of the unminted supply, in millionths, that would be paid per minting period if
 * the whole supply were staked. It rises linearly with the duration of a stake, from the minimum, which very short stakes approach,
 * to the maximum for a stake that lasts a whole minting period.
 */
export interface RewardRules {
  readonly minConsumptionRate: bigint;
  readonly maxConsumptionRate: bigint;
  readonly mintingPeriodSeconds: bigint;
  /** Upper bound of the supply, in nAVAX (or units of the subnet's asset). */
  readonly supplyCap: bigint;
}

/** Length of a year of 365 days, to which annual rates and rewards refer. */
export const YEAR_SECONDS = 31_536_000n;

const MILLION = 1_000_000n;
const MAX_U64 = (1n << 64n) - 1n;
const NANOSECONDS = 1_000_000_000n;

/** From Helicon on, the minimum rate of the primary network moves linearly to this rate within this time (ACP-285). */
const HELICON_TARGET = { minConsumptionRate: 75_000n, afterSeconds: 7_776_000n };

/** The primary network's rules for a stake that starts at `start`, with Helicon active from `helicon` on (seconds). */
export function rewardRulesAt<Rules extends RewardRules>(rules: Rules, helicon: number, start: number): Rules {
  const { minConsumptionRate: first, maxConsumptionRate } = rules;
  const elapsed = BigInt(start - helicon);
  // A network whose maximum rate is below the target keeps its rates.
  if (elapsed < 0n || maxConsumptionRate < HELICON_TARGET.minConsumptionRate) return rules;
  if (elapsed >= HELICON_TARGET.afterSeconds)
    return { ...rules, minConsumptionRate: HELICON_TARGET.minConsumptionRate };
  // BigInt division truncates, so the result is rounded towards the first rate, whether it rises or falls.
  const change = ((HELICON_TARGET.minConsumptionRate - first) * elapsed) / HELICON_TARGET.afterSeconds;
  return { ...rules, minConsumptionRate: first + change };
}

/** The potential reward of a stake, given the supply at its start. Rounds down in the same steps as nodes do. */
export function potentialReward(
  { minConsumptionRate, maxConsumptionRate, mintingPeriodSeconds, supplyCap }: RewardRules,
  stake: { readonly seconds: number; readonly amount: bigint },
  supply: bigint,
): bigint {
  const duration = BigInt(stake.seconds) * NANOSECONDS;
  const period = mintingPeriodSeconds * NANOSECONDS;
  const rate = minConsumptionRate * period + (maxConsumptionRate - minConsumptionRate) * duration;
  const left = supplyCap - supply;
  const reward = (left * stake.amount * duration * rate) / (period * MILLION) / supply / period;
  return reward < left ? reward : left;
}

/**
 * Splits a delegator's reward: `shares` millionths go to the validator. The delegator's part is rounded down. If the product
 * does not fit into 64 bits, the reward is divided before it is multiplied, as in nodes.
 */
export function splitReward(total: bigint, shares: number): { readonly delegator: bigint; readonly validator: bigint } {
  const kept = MILLION - BigInt(shares);
  const product = kept * total;
  const delegator = product > MAX_U64 ? kept * (total / MILLION) : product / MILLION;
  return { delegator, validator: total - delegator };
}
