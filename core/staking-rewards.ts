/** What a validator can earn. Rates are millionths a minting period. */
export interface RewardRules {
  readonly minConsumptionRate: bigint;
  readonly maxConsumptionRate: bigint;
  readonly mintingPeriodSeconds: bigint;
  /** Supply that rewards approach, in nAVAX. */
  readonly supplyCap: bigint;
}

const MILLION = 1_000_000n;
const MAX_U64 = (1n << 64n) - 1n;
const NANOSECONDS = 1_000_000_000n;

/** Since Helicon the least rate of the primary network moves to this, in so many seconds (ACP-285). */
const LATER = { minConsumptionRate: 75_000n, afterSeconds: 7_776_000n };

/** The rules of the primary network for a stake that starts at that time, where Helicon is active from `helicon` on (seconds). */
export function rewardRulesAt<Rules extends RewardRules>(rules: Rules, helicon: number, start: number): Rules {
  const { minConsumptionRate: first, maxConsumptionRate } = rules;
  const elapsed = BigInt(start - helicon);
  // A network of low rates keeps them.
  if (elapsed < 0n || maxConsumptionRate < LATER.minConsumptionRate) return rules;
  if (elapsed >= LATER.afterSeconds) return { ...rules, minConsumptionRate: LATER.minConsumptionRate };
  // Division cuts towards the first rate, whether that is above the later one or below.
  const change = ((LATER.minConsumptionRate - first) * elapsed) / LATER.afterSeconds;
  return { ...rules, minConsumptionRate: first + change };
}

/** What a stake of that many seconds earns at most, given the supply at its start. Floors wherever the nodes do. */
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
 * How a delegator's reward is shared: `shares` millionths are the validator's. The delegator's part is rounded down; of
 * rewards too large for 64 bits in between, by the million before the shares are taken, as the nodes do.
 */
export function splitReward(total: bigint, shares: number): { readonly delegator: bigint; readonly validator: bigint } {
  const kept = MILLION - BigInt(shares);
  const product = kept * total;
  const delegator = product > MAX_U64 ? kept * (total / MILLION) : product / MILLION;
  return { delegator, validator: total - delegator };
}
