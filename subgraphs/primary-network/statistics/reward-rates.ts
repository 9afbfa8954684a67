import { rewardRulesAt, YEAR_SECONDS } from "../../../core/networks/staking-rewards.ts";
import type { RewardOutlook } from "../stakers/reward-estimates.ts";
import { percentOf } from "../validators/percent.ts";

/** Annual reward rates on the primary network, in percent of a stake. */
export interface RewardRates {
  readonly minimumRewardRate: number;
  readonly maximumRewardRate: number;
}

const MILLION = 1_000_000n;

/**
 * The rates of stakes that start at `time`, in seconds, with this supply. A stake of duration `d` earns
 * `(cap - supply) / supply * (min + (max - min) * d / period) * d / period` of itself, with the minting period `period` and the smallest and largest
 * consumption rates `min` and `max`. Divided by `d`, this approaches the minimum rate for short stakes. It is the maximum rate for a whole
 * minting period.
 */
export function rewardRatesAt(
  { rules, helicon }: Pick<RewardOutlook, "rules" | "helicon">,
  supply: bigint,
  time: number,
): RewardRates {
  const { minConsumptionRate, maxConsumptionRate, mintingPeriodSeconds, supplyCap } =
    helicon === null ? rules : rewardRulesAt(rules, helicon, time);
  const annual = (consumptionRate: bigint): number =>
    percentOf((supplyCap - supply) * consumptionRate * YEAR_SECONDS, supply * MILLION * mintingPeriodSeconds);
  return { minimumRewardRate: annual(minConsumptionRate), maximumRewardRate: annual(maxConsumptionRate) };
}
