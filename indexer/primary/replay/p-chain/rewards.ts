import { BadUpstreamData } from "../../../../core/errors/errors.ts";
import { splitReward } from "../../../../core/networks/staking-rewards.ts";
import { emittedOutputs } from "../../decode/outputs.ts";
import { effectException } from "../store/outputs/exceptions.ts";
import { utxoRow } from "../transactions/utxo-row.ts";
import { NoEffect } from "./no-effect.ts";
import { createPayout, type Decision } from "./payout.ts";
import type { StakerRow } from "./staker-set.ts";
import { addStaker, changeSupply, endStaker, isContradictory, isStaking } from "./stakers.ts";

/**
 * Ends the stake that a RewardValidatorTx names: returns the stake and, after a commit, pays the reward. A validator's share of
 * its delegators' rewards is also paid after an abort.
 */
export function rewardStaker(decision: Decision, stakingTxId: string): void {
  const { batch, network, isCommitted } = decision;
  const staker = stakerToReward(decision, stakingTxId);
  const validator = staker.kind === "DELEGATOR" ? validatorOf(decision, staker) : null;
  const potential = BigInt(staker.potential_reward ?? 0);
  const outputIndex = Number(staker.output_count) + Number(staker.stake_count);
  const payout = createPayout(decision, staker, { txId: staker.tx_hash, outputIndex });
  payout.returnStake();
  if (!isCommitted) changeSupply(decision, staker.subnet_id, -potential);
  if (!validator) {
    if (isCommitted) {
      payout.pay(staker.reward_owner, potential, "VALIDATOR");
      staker.paid_reward = potential;
    }
    // The share of its delegators' rewards is paid even if the validator itself gets no reward.
    const share = BigInt(staker.accrued_share);
    payout.pay(staker.share_owner, share, "VALIDATOR_FEE");
    staker.paid_share = BigInt(staker.paid_share) + share;
  } else if (isCommitted) {
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
  payout.finish();
}

/**
 * The staker that the proposal rewards. Throws `NoEffect` if it is not active, or if a transaction of the proposal's type
 * cannot reward it.
 */
export function stakerToReward({ state, proposal }: Decision, stakingTxId: string): StakerRow {
  const staker = state.stakers.get(stakingTxId);
  if (staker?.status !== "ACTIVE")
    throw new NoEffect(`transaction ${proposal.tx.id} rewards ${stakingTxId}, which is not staking`);
  if ((staker.next_period !== null) !== (proposal.tx.txType === "RewardAutoRenewedValidatorTx"))
    throw new NoEffect(
      `transaction ${proposal.tx.id} of type ${proposal.tx.txType} cannot reward the staker ${stakingTxId}`,
    );
  return staker;
}

function validatorOf({ state }: Decision, { tx_hash, subnet_id, node_id }: StakerRow): StakerRow {
  const validator = state.stakers.validator(subnet_id, node_id);
  if (!validator) throw new NoEffect(`the validator of delegation ${tx_hash} ended before the delegation`);
  return validator;
}

/** Removes a staker from the state after the decision on its reward. */
export function endRewarded(decision: Decision, staker: StakerRow): void {
  const { proposal, isCommitted, position } = decision;
  endStaker(decision, staker, {
    status: "COMPLETED",
    ended_timestamp: position.timestamp,
    reward_tx_hash: proposal.tx.id,
    is_rewarded: isCommitted,
  });
}

/** Decides on a proposed staker, as before Banff: a commit adds it, an abort returns its stake at once. */
export function decideStaker(decision: Decision): void {
  const { batch, proposal, isCommitted } = decision;
  const { tx, txSeq, blockNumber } = proposal;
  if (!isStaking(tx)) throw new BadUpstreamData(`transaction ${tx.id} of type ${tx.txType} cannot be proposed`);
  const staker = isCommitted ? addStaker(decision, tx, null) : null;
  if (staker && isContradictory(decision.state, staker)) batch.except(effectException("P", txSeq, tx.id));
  const times = staker && { stake_start: staker.start_timestamp, stake_end: staker.end_timestamp };
  const createdIds: string[] = [];
  for (const { outputIndex, assetId, output, role } of emittedOutputs(tx)) {
    if (role !== "stake") continue;
    const position = { ...decision.position, blockNumber };
    const row = utxoRow(
      position,
      { txId: tx.id, outputIndex, assetId, output },
      times ? "STAKE" : "PLAIN",
      times ?? {},
    );
    batch.create(row);
    createdIds.push(row.utxo_id);
  }
  batch.decided.set(txSeq, createdIds);
}
