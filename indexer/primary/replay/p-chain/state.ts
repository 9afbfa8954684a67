import type { PTransaction } from "../../../../core/formats/codec/transactions/p-transactions.ts";
import type { NetworkFacts } from "../../network/network.ts";
import type { Batch } from "../store/batch.ts";
import type { IndexedTransactions } from "../store/repeated-transactions.ts";
import type { RowOf } from "../store/tables.ts";
import type { GasState } from "./gas.ts";
import type { StakerSet } from "./staker-set.ts";

export type SubnetRow = RowOf<"subnets">;
export type L1ValidatorRow = RowOf<"l1_validators">;
export type WeightRow = RowOf<"validator_weights">;

/** The validator sets of all subnets as they were last written, and the entries that may have changed after that. */
export interface ValidatorWeights {
  /** By `entryKey`. */
  readonly live: Map<string, WeightRow>;
  /** Keys of the entries that may have changed. `StakerSet.changedNodes` has the keys of changed stakers. */
  readonly changed: Set<string>;
}

/** A proposed transaction that the next block commits or aborts. */
export interface Proposal {
  readonly tx: PTransaction;
  readonly txSeq: number;
  readonly blockNumber: number;
  /** True if the transaction has its row in an earlier block, which proposed it as well. */
  readonly isRepeated: boolean;
}

/** The part of the P-Chain's state that applying a block needs. Its rows are the objects that are written when they change. */
export interface PState {
  /** Chain time in seconds. */
  timestamp: number;
  currentSupply: bigint;
  gas: GasState;
  l1FeeExcess: bigint;
  /** Fees in nAVAX that an L1 validator would have paid if it had always been active. */
  l1AccruedFees: bigint;
  proposal: Proposal | null;
  readonly stakers: StakerSet;
  readonly subnets: Map<string, SubnetRow>;
  /** L1 validators that are not removed. */
  readonly l1Validators: Map<string, L1ValidatorRow>;
  readonly weights: ValidatorWeights;
  readonly counts: {
    stakers: number;
    rewards: number;
    subnets: number;
    blockchains: number;
    l1Validators: number;
    /** Subnets that were converted to L1s. */
    l1s: number;
  };
}

/** The state that changes apply to, and the batch that gets their rows. */
export interface StateChange {
  readonly state: PState;
  readonly batch: Batch;
  readonly network: NetworkFacts;
}

/** State to which a block of the P-Chain is applied. */
export interface PReplay extends StateChange {
  /** Transactions that have rows. */
  readonly indexed: IndexedTransactions;
  /** `tx_seq` of the chain's next transaction. */
  txSeq: number;
}
