import { emittedOutputs } from "../../../../core/codec/transactions/outputs.ts";
import { BadUpstreamData } from "../../../../core/errors.ts";
import { splitReward } from "../../../../core/staking-rewards.ts";
import { utxoRow } from "../transactions/utxo-changes.ts";
import { type Decision, openPayout } from "./payout.ts";
import type { StakerRow } from "./staker-set.ts";
import { addStaker, changeSupply, endStaker, isStaking } from "./stakers.ts";

/** Ends what a RewardValidatorTx names: its stake comes back, and with a commit its reward is made. */
export function reward(decision: Decision, stakingTxId: string): void {
  const { state, batch, network, isCommitted } = decision;
  const staker = stakerToReward(decision, stakingTxId);
  const potential = BigInt(staker.potential_reward ?? 0);
  const outputIndex = Number(staker.output_count) + Number(staker.stake_count);
  const payout = openPayout(decision, staker, { txId: staker.tx_hash, outputIndex });
  payout.giveBack();
  if (!isCommitted) changeSupply(decision, staker.subnet_id, -potential);
  if (staker.kind === "VALIDATOR") {
    if (isCommitted) {
      payout.pay(staker.reward_owner, potential, "VALIDATOR");
      staker.paid_reward = potential;
    }
    // What its delegators earned for it is the validator's even when it earned nothing itself.
    const share = BigInt(staker.accrued_share);
    payout.pay(staker.share_owner, share, "VALIDATOR_FEE");
    staker.paid_share = BigInt(staker.paid_share) + share;
  } else if (isCommitted) {
    const validator = state.stakers.validator(staker.subnet_id, staker.node_id);
    if (!validator) throw new BadUpstreamData(`the validator of delegation ${stakingTxId} is gone before it`);
    const split = splitReward(potential, Number(validator.shares ?? 0));
    payout.pay(staker.reward_owner, split.delegator, "DELEGATOR");
    staker.paid_reward = split.delegator;
    if (Number(validator.start_timestamp) >= network.upgrades.cortina)
      validator.accrued_share = BigInt(validator.accrued_share) + split.validator;
    else {
      payout.pay(validator.share_owner, split.validator, "VALIDATOR_FEE");
      validator.paid_share = BigInt(validator.paid_share) + split.validator;
    }
    batch.changed.stakers.set(validator.tx_hash, validator);
  }
  endRewarded(decision, staker);
  payout.close();
}

/** The staker that a proposal wants rewarded. Throws where none of that transaction stakes. */
export function stakerToReward({ state, proposal }: Decision, stakingTxId: string): StakerRow {
  const staker = state.stakers.get(stakingTxId);
  if (staker?.status !== "ACTIVE")
    throw new BadUpstreamData(`transaction ${proposal.tx.id} rewards ${stakingTxId}, which is no staker`);
  if ((staker.next_period !== null) !== (proposal.tx.txType === "RewardAutoRenewedValidatorTx"))
    throw new BadUpstreamData(
      `transaction ${proposal.tx.id} cannot reward ${stakingTxId}: it is of type ${proposal.tx.txType}`,
    );
  return staker;
}

/** Takes a staker out of the state whose reward was decided. */
export function endRewarded(decision: Decision, staker: StakerRow): void {
  const { proposal, isCommitted, place } = decision;
  endStaker(decision, staker, {
    status: "COMPLETED",
    ended_timestamp: place.timestamp,
    reward_tx_hash: proposal.tx.id,
    is_rewarded: isCommitted,
  });
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
