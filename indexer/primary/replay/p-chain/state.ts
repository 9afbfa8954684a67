import type { PTransaction } from "../../../../core/codec/transactions/p-transactions.ts";
import type { RowOf } from "../store/columns.ts";
import type { GasState } from "./gas.ts";
import type { StakerSet } from "./staker-set.ts";

export type SubnetRow = RowOf<"subnets">;
export type L1ValidatorRow = RowOf<"l1_validators">;

/** A transaction that the next block decides on. */
export interface Proposal {
  readonly tx: PTransaction;
  readonly txSeq: number;
  readonly blockNumber: number;
}

/** The P-Chain's state as far as the next block needs it. The rows in it are the ones that are written when they change. */
export interface PState {
  /** Chain time in seconds. */
  timestamp: number;
  currentSupply: bigint;
  gas: GasState;
  l1FeeExcess: bigint;
  /** What one validator that was always active has paid. */
  l1AccruedFees: bigint;
  proposal: Proposal | null;
  readonly stakers: StakerSet;
  readonly subnets: Map<string, SubnetRow>;
  /** L1 validators that were not removed. */
  readonly l1Validators: Map<string, L1ValidatorRow>;
  readonly counts: { stakers: number; rewards: number; subnets: number; blockchains: number; l1Validators: number };
}
