import { splitReward } from "../../../core/staking-rewards.ts";
import { BadUpstreamData } from "../../errors.ts";
import { utxoId } from "../codec/hashes.ts";
import { emittedOutputs } from "../codec/outputs.ts";
import type { Place } from "./batch.ts";
import type { RowOf } from "./columns.ts";
import { utxoRow } from "./moves.ts";
import type { Proposal } from "./p-state.ts";
import type { StakerRow } from "./staker-set.ts";
import { addStaker, changeSupply, endStaker, isStaking, type Staking } from "./stakers.ts";
import { listUnder, type OwnerText } from "./transactions.ts";

/** A decision on a proposal: the block that makes it, and whether it is a commit. */
export interface Decision extends Staking {
  readonly place: Place;
  readonly proposal: Proposal;
  readonly isCommitted: boolean;
}

/** Ends what a RewardValidatorTx names: its stake comes back, and with a commit its reward is made. */
export function reward(decision: Decision, stakingTxId: string): void {
  const { state, batch, network, proposal, isCommitted, place } = decision;
  const staker = state.stakers.get(stakingTxId);
  if (staker?.status !== "ACTIVE")
    throw new BadUpstreamData(`transaction ${proposal.tx.id} rewards ${stakingTxId}, which is no staker`);
  const potential = BigInt(staker.potential_reward ?? 0);
  const emitted: string[] = [];
  const first = Number(staker.output_count);
  const afterStake = first + Number(staker.stake_count);
  for (let index = first; index < afterStake; index++) emitted.push(utxoId(stakingTxId, index));
  const addresses = new Set(emitted.flatMap((id) => batch.ownersOf(id)));

  let outputIndex = afterStake;
  const pay = (owner: string | null, amount: bigint, rewardType: RewardType) => {
    if (amount === 0n) return;
    const row = makeReward(decision, staker, { outputIndex, owner, amount, rewardType });
    emitted.push(row.utxo_id);
    for (const address of row.addresses) addresses.add(address);
    outputIndex++;
  };
  const end = {
    ...{ status: "COMPLETED", ended_timestamp: place.timestamp },
    ...{ reward_tx_hash: proposal.tx.id, is_rewarded: isCommitted },
  };
  if (!isCommitted) changeSupply(decision, staker.subnet_id, -potential);
  if (staker.kind === "VALIDATOR") {
    if (isCommitted) {
      pay(staker.reward_owner, potential, "VALIDATOR");
      staker.paid_reward = potential;
    }
    // What its delegators earned for it is the validator's even when it earned nothing itself.
    const share = BigInt(staker.accrued_share);
    pay(staker.share_owner, share, "VALIDATOR_FEE");
    staker.paid_share = BigInt(staker.paid_share) + share;
  } else if (isCommitted) {
    const validator = state.stakers.validator(staker.subnet_id, staker.node_id);
    if (!validator) throw new BadUpstreamData(`the validator of delegation ${stakingTxId} is gone before it`);
    const split = splitReward(potential, Number(validator.shares ?? 0));
    pay(staker.reward_owner, split.delegator, "DELEGATOR");
    staker.paid_reward = split.delegator;
    if (Number(validator.start_timestamp) >= network.upgrades.cortina)
      validator.accrued_share = BigInt(validator.accrued_share) + split.validator;
    else {
      pay(validator.share_owner, split.validator, "VALIDATOR_FEE");
      validator.paid_share = BigInt(validator.paid_share) + split.validator;
    }
    batch.changed.stakers.set(validator.tx_hash, validator);
  }
  endStaker(decision, staker, end);
  batch.decided.set(proposal.txSeq, emitted);
  listUnder(batch, addresses, {
    ...{ chain: "P", tx_seq: proposal.txSeq, tx_type: proposal.tx.txType, block_timestamp: place.timestamp },
  });
}

type RewardType = "VALIDATOR" | "DELEGATOR" | "VALIDATOR_FEE";

interface Payment {
  readonly outputIndex: number;
  /** As JSON. */
  readonly owner: string | null;
  readonly amount: bigint;
  readonly rewardType: RewardType;
}

function makeReward(
  { state, batch, proposal, place }: Decision,
  staker: StakerRow,
  { outputIndex, owner, amount, rewardType }: Payment,
): RowOf<"utxos"> {
  if (owner === null || staker.stake_asset_id === null)
    throw new BadUpstreamData(`staker ${staker.tx_hash} has no owner of rewards`);
  const { locktime, threshold, addresses } = JSON.parse(owner) as OwnerText;
  const output = {
    ...{ type: "secp256k1fx.TransferOutput" as const, amount },
    ...{ locktime: BigInt(locktime), threshold, addresses },
  };
  const assetId = staker.stake_asset_id;
  const more = { reward_type: rewardType };
  const row = utxoRow(place, { txId: staker.tx_hash, outputIndex, assetId, output }, "REWARD", more);
  batch.create(row);
  const { end_timestamp, node_id } = staker;
  const reward_seq = state.counts.rewards++;
  batch.add("primary_rewards", {
    ...{ reward_seq, utxo_id: row.utxo_id, output_index: outputIndex },
    ...{ staking_tx_hash: staker.tx_hash, reward_tx_hash: proposal.tx.id, reward_type: rewardType },
    ...{ node_id, subnet_id: staker.subnet_id, amount_staked: staker.weight },
    ...{ start_timestamp: staker.start_timestamp, end_timestamp, asset_id: assetId, amount, addresses },
    reward_timestamp: place.timestamp,
  });
  for (const address of new Set(addresses)) batch.add("reward_owners", { address, end_timestamp, reward_seq, node_id });
  return row;
}

/** Before Banff stakers were proposed: a commit lets them in, an abort gives the stake back at once. */
export function admit(decision: Decision): void {
  const { batch, proposal, isCommitted } = decision;
  const { tx, txSeq, blockNumber } = proposal;
  if (!isStaking(tx)) throw new BadUpstreamData(`transaction ${tx.id} of type ${tx.txType} cannot be proposed`);
  const staker = isCommitted ? addStaker(decision, tx, null) : null;
  const times = staker && { stake_start: staker.start_timestamp, stake_end: staker.end_timestamp };
  const made: string[] = [];
  for (const { outputIndex, assetId, output, role } of emittedOutputs(tx)) {
    if (role !== "stake") continue;
    const place = { ...decision.place, blockNumber };
    const row = utxoRow(place, { txId: tx.id, outputIndex, assetId, output }, times ? "STAKE" : "PLAIN", times ?? {});
    batch.create(row);
    made.push(row.utxo_id);
  }
  batch.decided.set(txSeq, made);
}
