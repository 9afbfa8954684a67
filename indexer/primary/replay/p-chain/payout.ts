import { utxoId } from "../../../../core/codec/bytes/hashes.ts";
import { BadUpstreamData } from "../../../../core/errors.ts";
import type { Place } from "../store/batch.ts";
import type { RowOf } from "../store/columns.ts";
import { listUnder, type OwnerText } from "../transactions/transaction-row.ts";
import { utxoRow } from "../transactions/utxo-changes.ts";
import type { StakerRow } from "./staker-set.ts";
import type { Staking } from "./stakers.ts";
import type { Proposal } from "./state.ts";

/** A decision on a proposal: the block that makes it, and whether it is a commit. */
export interface Decision extends Staking {
  readonly place: Place;
  readonly proposal: Proposal;
  readonly isCommitted: boolean;
}

export type RewardType = "VALIDATOR" | "DELEGATOR" | "VALIDATOR_FEE";

/** What a decision on a stake makes. Its outputs are the proposed transaction's, which is listed under their owners. */
export interface Payout {
  /** The stake comes back. */
  giveBack(): void;
  /** Makes an output of a reward, where it is not 0. `owner` is JSON. */
  pay(owner: string | null, amount: bigint, rewardType: RewardType): void;
  /** Puts all of it into the batch. */
  close(): void;
}

/** Ids of the outputs that are staked. */
export function stakedIds({ tx_hash, output_count, stake_count }: StakerRow): string[] {
  return Array.from({ length: Number(stake_count) }, (_, i) => utxoId(tx_hash, Number(output_count) + i));
}

/** Rewards are outputs of `txId`, numbered from `outputIndex` on. */
export function openPayout(
  decision: Decision,
  staker: StakerRow,
  { txId, outputIndex }: { readonly txId: string; readonly outputIndex: number },
): Payout {
  const { batch, proposal, place } = decision;
  const emitted: string[] = [];
  const addresses = new Set<string>();
  let next = outputIndex;
  return {
    giveBack() {
      for (const id of stakedIds(staker)) {
        emitted.push(id);
        for (const address of batch.ownersOf(id)) addresses.add(address);
      }
    },
    pay(owner, amount, rewardType) {
      if (amount === 0n) return;
      const row = makeReward(decision, staker, { txId, outputIndex: next, owner, amount, rewardType });
      emitted.push(row.utxo_id);
      for (const address of row.addresses) addresses.add(address);
      next++;
    },
    close() {
      batch.decided.set(proposal.txSeq, emitted);
      listUnder(batch, addresses, {
        chain: "P",
        tx_seq: proposal.txSeq,
        tx_type: proposal.tx.txType,
        block_timestamp: place.timestamp,
      });
    },
  };
}

interface Payment {
  readonly txId: string;
  readonly outputIndex: number;
  /** As JSON. */
  readonly owner: string | null;
  readonly amount: bigint;
  readonly rewardType: RewardType;
}

function makeReward(
  { state, batch, proposal, place }: Decision,
  staker: StakerRow,
  { txId, outputIndex, owner, amount, rewardType }: Payment,
): RowOf<"utxos"> {
  if (owner === null || staker.stake_asset_id === null)
    throw new BadUpstreamData(`staker ${staker.tx_hash} has no owner of rewards`);
  const { locktime, threshold, addresses } = JSON.parse(owner) as OwnerText;
  const output = {
    type: "secp256k1fx.TransferOutput" as const,
    amount,
    locktime: BigInt(locktime),
    threshold,
    addresses,
  } as const;
  const assetId = staker.stake_asset_id;
  const more = { reward_type: rewardType };
  const row = utxoRow(place, { txId, outputIndex, assetId, output }, "REWARD", more);
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
    reward_timestamp: place.timestamp,
  });
  for (const address of new Set(addresses)) batch.add("reward_owners", { address, end_timestamp, reward_seq, node_id });
  return row;
}
