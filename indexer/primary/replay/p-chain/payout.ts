import { BadUpstreamData } from "../../../../core/errors/errors.ts";
import { utxoId } from "../../../../core/formats/codec/bytes/hashes.ts";
import type { ChainPosition } from "../store/batch.ts";
import type { RowOf } from "../store/tables.ts";
import type { OwnerText } from "../transactions/type-columns.ts";
import { utxoRow } from "../transactions/utxo-row.ts";
import type { StakerRow } from "./staker-set.ts";
import type { Proposal, StateChange } from "./state.ts";

/** The decision of a commit or abort block on a proposal. */
export interface Decision extends StateChange {
  readonly position: ChainPosition;
  readonly proposal: Proposal;
  readonly isCommitted: boolean;
}

export type RewardType = "VALIDATOR" | "DELEGATOR" | "VALIDATOR_FEE";

/** The outputs that a decision on a stake creates or returns. The proposed transaction is listed for their owners. */
export interface Payout {
  /** Returns the staked outputs. */
  returnStake(): void;
  /** Creates the output of a reward, unless it is 0. `owner` is the JSON of an `OwnerText`. */
  pay(owner: string | null, amount: bigint, rewardType: RewardType): void;
  /** Records the outputs for the row of the proposed transaction, and lists it for their owners. Called once, at the end. */
  finish(): void;
}

/** Ids of a staker's staked outputs. */
export function stakedIds({ tx_hash, output_count, stake_count }: StakerRow): string[] {
  return Array.from({ length: Number(stake_count) }, (_, i) => utxoId(tx_hash, Number(output_count) + i));
}

/** A payout whose rewards are outputs of the transaction `txId`, from `outputIndex` on. */
export function createPayout(
  decision: Decision,
  staker: StakerRow,
  { txId, outputIndex }: { readonly txId: string; readonly outputIndex: number },
): Payout {
  const { batch, proposal, position } = decision;
  const emitted: string[] = [];
  const addresses = new Set<string>();
  let next = outputIndex;
  return {
    returnStake() {
      for (const id of stakedIds(staker)) {
        emitted.push(id);
        for (const address of batch.ownersOf(id)) addresses.add(address);
      }
    },
    pay(owner, amount, rewardType) {
      if (amount === 0n) return;
      const row = createReward(decision, staker, { txId, outputIndex: next, owner, amount, rewardType });
      emitted.push(row.utxo_id);
      for (const address of row.addresses) addresses.add(address);
      next++;
    },
    finish() {
      batch.decided.set(proposal.txSeq, emitted);
      batch.list(addresses, {
        chain: "P",
        tx_seq: proposal.txSeq,
        tx_type: proposal.tx.txType,
        block_timestamp: position.timestamp,
      });
    },
  };
}

interface Payment {
  readonly txId: string;
  readonly outputIndex: number;
  /** JSON of an `OwnerText`. */
  readonly owner: string | null;
  readonly amount: bigint;
  readonly rewardType: RewardType;
}

function createReward(
  { state, batch, proposal, position }: Decision,
  staker: StakerRow,
  { txId, outputIndex, owner, amount, rewardType }: Payment,
): RowOf<"utxos"> {
  if (owner === null || staker.stake_asset_id === null)
    throw new BadUpstreamData(`staker ${staker.tx_hash} has no reward owner or no staked asset`);
  const { locktime, threshold, addresses } = JSON.parse(owner) as OwnerText;
  const output = {
    type: "secp256k1fx.TransferOutput" as const,
    amount,
    locktime: BigInt(locktime),
    threshold,
    addresses,
  } as const;
  const assetId = staker.stake_asset_id;
  const row = utxoRow(position, { txId, outputIndex, assetId, output }, "REWARD", { reward_type: rewardType });
  batch.create(row);
  const { end_timestamp, node_id } = staker;
  const reward_seq = state.counts.rewards++;
  batch.add("primary_rewards", {
    reward_seq,
    utxo_id: row.utxo_id,
    output_index: outputIndex,
    staking_tx_hash: staker.tx_hash,
    reward_tx_hash: proposal.tx.id,
    reward_type: rewardType,
    node_id,
    subnet_id: staker.subnet_id,
    amount_staked: staker.weight,
    start_timestamp: staker.start_timestamp,
    end_timestamp,
    asset_id: assetId,
    amount,
    addresses,
    reward_timestamp: position.timestamp,
  });
  for (const address of new Set(addresses)) batch.add("reward_owners", { address, end_timestamp, reward_seq, node_id });
  return row;
}
