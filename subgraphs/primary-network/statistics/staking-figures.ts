import type { PrimaryActivity } from "../../../prisma/client/client.ts";
import { columns, type TextRow } from "../../shared/rows/text-rows.ts";
import type { RewardOutlook } from "../stakers/reward-estimates.ts";
import { percentOf } from "../validators/percent.ts";
import { rewardRatesAt } from "./reward-rates.ts";
import type { StakingFigures } from "./types.ts";

const NAMES = [
  "validators",
  "delegators",
  "validatorStake",
  "delegatorStake",
  "annualRewards",
  "subnets",
  "blockchains",
  "l1s",
] as const;

/** SELECT list of the columns of `primary_activity` with the state of the P-Chain. */
export const STATE_COLUMNS = columns<PrimaryActivity>(...NAMES);

/** The state of the P-Chain after a block. */
export type StateRow = {
  readonly [Name in (typeof NAMES)[number]]: NonNullable<TextRow<PrimaryActivity>[Name]>;
} & {
  readonly currentSupply: string;
  readonly activeL1Validators: number;
  /** Time of the block, in seconds. */
  readonly stateTimestamp: string;
};

/** The figures of a state. The outlook has the network's rules for rewards. */
export function stakingFigures(row: StateRow, outlook: RewardOutlook): StakingFigures {
  const { validators, delegators, validatorStake, delegatorStake, activeL1Validators, currentSupply } = row;
  const stake = BigInt(validatorStake) + BigInt(delegatorStake);
  return {
    validators,
    delegators,
    validatorStake,
    delegatorStake,
    totalStake: String(stake),
    currentSupply,
    stakedPercentage: percentOf(stake, BigInt(currentSupply)),
    averageRewardRate: stake === 0n ? null : percentOf(BigInt(row.annualRewards), stake),
    ...rewardRatesAt(outlook, BigInt(currentSupply), Number(row.stateTimestamp)),
    subnets: Number(row.subnets),
    blockchains: Number(row.blockchains),
    l1s: Number(row.l1s),
    activeL1Validators,
  };
}
