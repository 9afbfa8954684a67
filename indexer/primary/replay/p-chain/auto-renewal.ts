import { BadUpstreamData } from "../../../../core/errors/errors.ts";
import type { PTransactionOf } from "../../../../core/formats/codec/transactions/p-transactions.ts";
import { splitReward } from "../../../../core/networks/staking-rewards.ts";
import { NoEffect } from "./no-effect.ts";
import { createPayout, type Decision, stakedIds } from "./payout.ts";
import { endRewarded, stakerToReward } from "./rewards.ts";
import type { StakerRow } from "./staker-set.ts";
import { changeSupply, startStaking } from "./stakers.ts";
import type { StateChange } from "./state.ts";

/**
 * Ends a cycle of the auto-renewed validator that a RewardAutoRenewedValidatorTx names (ACP-236). After a commit the next
 * cycle begins, unless the validator exits. If it exits, and always after an abort, its stake is returned, and the restaked
 * rewards and those of the ended cycle are paid. After an abort, the validator's own reward for the ended cycle is not paid.
 */
export function rewardAutoRenewed(decision: Decision, stakingTxId: string): void {
  const staker = stakerToReward(decision, stakingTxId);
  if (decision.isCommitted && Number(staker.next_period) > 0) renew(decision, staker);
  else exit(decision, staker);
}

function exit(decision: Decision, staker: StakerRow): void {
  const { isCommitted } = decision;
  const potential = BigInt(staker.potential_reward ?? 0);
  if (!isCommitted) changeSupply(decision, staker.subnet_id, -potential);
  const payout = createCyclePayout(decision, staker);
  payout.returnStake();
  payout.pay({
    reward: BigInt(staker.restaked_reward ?? 0) + (isCommitted ? potential : 0n),
    share: BigInt(staker.restaked_share ?? 0) + BigInt(staker.accrued_share),
  });
  endRewarded(decision, staker);
  payout.finish();
}

function renew(decision: Decision, staker: StakerRow): void {
  const earned = { reward: BigInt(staker.potential_reward ?? 0), share: BigInt(staker.accrued_share) };
  const restaked = restakedOf(decision, staker, earned);
  const payout = createCyclePayout(decision, staker);
  payout.pay({ reward: earned.reward - restaked.reward, share: earned.share - restaked.share });
  payout.finish();
  const start = Number(staker.end_timestamp);
  Object.assign(staker, {
    weight: BigInt(staker.weight) + restaked.reward + restaked.share,
    start_timestamp: start,
    end_timestamp: start + Number(staker.next_period),
    accrued_share: 0n,
    restaked_reward: BigInt(staker.restaked_reward ?? 0) + restaked.reward,
    restaked_share: BigInt(staker.restaked_share ?? 0) + restaked.share,
  });
  decision.batch.extendStake(stakedIds(staker), Number(staker.end_timestamp));
  startStaking(decision, staker);
}

/** The rewards of a cycle in nAVAX: the validator's own, and its share of its delegators'. */
interface Earned {
  readonly reward: bigint;
  readonly share: bigint;
}

/**
 * The part of a cycle's rewards that is restaked: the fraction that the validator's last configuration sets, but at most what
 * raises its stake to the network's maximum (`maxValidatorStake`).
 */
function restakedOf({ network }: Decision, staker: StakerRow, earned: Earned): Earned {
  const shares = Number(staker.auto_compound_shares);
  const chosen = {
    reward: splitReward(earned.reward, shares).validator,
    share: splitReward(earned.share, shares).validator,
  };
  const total = chosen.reward + chosen.share;
  const room = network.rewards.maxValidatorStake - BigInt(staker.weight);
  if (room < 0n)
    throw new BadUpstreamData(
      `validator ${staker.tx_hash} is renewed with a stake of ${staker.weight} nAVAX, but primaryNetworks[].rewards.maxValidatorStake is ${network.rewards.maxValidatorStake}`,
    );
  if (total <= room) return chosen;
  const reward = (chosen.reward * room) / total;
  return { reward, share: room - reward };
}

/**
 * The rewards of a cycle are outputs of the rewarding transaction. The rewards of other stakers are outputs of the staking
 * transaction. For an auto-renewed validator, the ids of such outputs would repeat, because every cycle rewards the same staking
 * transaction.
 */
function createCyclePayout(decision: Decision, staker: StakerRow) {
  const payout = createPayout(decision, staker, { txId: decision.proposal.tx.id, outputIndex: 0 });
  return {
    ...payout,
    pay({ reward, share }: Earned) {
      payout.pay(staker.reward_owner, reward, "VALIDATOR");
      payout.pay(staker.share_owner, share, "VALIDATOR_FEE");
      staker.paid_reward = BigInt(staker.paid_reward) + reward;
      staker.paid_share = BigInt(staker.paid_share) + share;
    },
  };
}

/** Sets the length of an auto-renewed validator's next cycle (0 to exit) and the part of its rewards that is restaked. */
export function setRenewalConfig(
  { state, batch }: StateChange,
  tx: PTransactionOf<"SetAutoRenewedValidatorConfigTx">,
): void {
  const staker = state.stakers.get(tx.txId);
  if (staker?.status !== "ACTIVE" || staker.next_period === null)
    throw new NoEffect(`transaction ${tx.id} configures ${tx.txId}, which is not an auto-renewed validator`);
  Object.assign(staker, { next_period: tx.period, auto_compound_shares: tx.autoCompoundRewardShares });
  batch.changed.stakers.set(staker.tx_hash, staker);
}
