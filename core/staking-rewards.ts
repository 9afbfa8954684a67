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
