import { periodStart } from "../../../../../core/networks/periods.ts";

/** Columns of `primary_activity` with the state of the P-Chain after the last block of a period. */
export const STATE_COLUMNS = [
  "last_block",
  "validators",
  "delegators",
  "validator_stake",
  "delegator_stake",
  "annual_rewards",
  "subnets",
  "blockchains",
  "l1s",
] as const;

/** State of the P-Chain after a block. */
export type EndState = { readonly [Column in (typeof STATE_COLUMNS)[number]]: number | bigint };

/** An hour with blocks of the P-Chain. */
interface PChainHour {
  /** The state after the last block of the hour. */
  readonly state: EndState;
  /** Amount of nAVAX that L1 validators paid from their balances. */
  readonly l1ValidatorFees: bigint;
}

/** What the blocks of the P-Chain in a batch add to the figures of their hours, and no row of the batch contains. */
export interface PChainHours {
  /** By the first second of the hour. */
  readonly byStart: ReadonlyMap<number, PChainHour>;
  /** Adds an amount of nAVAX that L1 validators pay in the block that is being applied. It may be negative, to correct an amount before it. */
  addL1ValidatorFees(amount: bigint): void;
  /** Notes the state after a block with this time, in seconds, and adds the fees since the block before it. */
  endBlock(timestamp: number, state: EndState): void;
}

export function createPChainHours(): PChainHours {
  const byStart = new Map<number, PChainHour>();
  let fees = 0n;
  return {
    byStart,
    addL1ValidatorFees(amount) {
      fees += amount;
    },
    endBlock(timestamp, state) {
      const start = periodStart("HOUR", timestamp);
      byStart.set(start, { state, l1ValidatorFees: (byStart.get(start)?.l1ValidatorFees ?? 0n) + fees });
      fees = 0n;
    },
  };
}
