import { YEAR_SECONDS } from "../../../../core/networks/staking-rewards.ts";
import { ZERO_ID } from "../../network/chains.ts";
import type { RowOf } from "../store/tables.ts";

type StakerRow = RowOf<"stakers">;

/** Totals of the active validators and delegators of the primary network. Amounts are in nAVAX. */
export interface StakeTotals {
  readonly validators: number;
  readonly delegators: number;
  readonly validatorStake: bigint;
  readonly delegatorStake: bigint;
  /** What the stakers earn in 365 days: the sum of their potential rewards, each divided by the duration of its stake. */
  readonly annualRewards: bigint;
}

export interface StakeCounter {
  readonly totals: StakeTotals;
  /** Counts a staker of any subnet and status with its present values, in place of those it was counted with before. */
  put(row: StakerRow): void;
  /** No longer counts a staker. Its row may have changed since it was counted. */
  delete(row: StakerRow): void;
}

const NOTHING: StakeTotals = {
  validators: 0,
  delegators: 0,
  validatorStake: 0n,
  delegatorStake: 0n,
  annualRewards: 0n,
};

/** Counts each change of a staker in constant time. */
export function createStakeCounter(): StakeCounter {
  const counted = new Map<StakerRow, StakeTotals>();
  let totals = NOTHING;
  const counter: StakeCounter = {
    get totals() {
      return totals;
    },
    put(row) {
      counter.delete(row);
      if (row.status !== "ACTIVE" || row.subnet_id !== ZERO_ID) return;
      const one = totalsOf(row);
      counted.set(row, one);
      totals = sum(totals, one, 1);
    },
    delete(row) {
      const one = counted.get(row);
      if (!one) return;
      counted.delete(row);
      totals = sum(totals, one, -1);
    },
  };
  return counter;
}

function totalsOf({ kind, weight, potential_reward, start_timestamp, end_timestamp }: StakerRow): StakeTotals {
  const seconds = BigInt(end_timestamp) - BigInt(start_timestamp);
  const annualRewards = seconds > 0n ? (BigInt(potential_reward ?? 0) * YEAR_SECONDS) / seconds : 0n;
  const stake = BigInt(weight);
  return kind === "VALIDATOR"
    ? { ...NOTHING, annualRewards, validators: 1, validatorStake: stake }
    : { ...NOTHING, annualRewards, delegators: 1, delegatorStake: stake };
}

function sum(totals: StakeTotals, one: StakeTotals, sign: 1 | -1): StakeTotals {
  return {
    validators: totals.validators + sign * one.validators,
    delegators: totals.delegators + sign * one.delegators,
    validatorStake: totals.validatorStake + BigInt(sign) * one.validatorStake,
    delegatorStake: totals.delegatorStake + BigInt(sign) * one.delegatorStake,
    annualRewards: totals.annualRewards + BigInt(sign) * one.annualRewards,
  };
}
