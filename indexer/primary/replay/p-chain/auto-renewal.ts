import type { PTransactionOf } from "../../../../core/codec/transactions/p-transactions.ts";
import { BadUpstreamData } from "../../../../core/errors.ts";
import { splitReward } from "../../../../core/staking-rewards.ts";
import { type Decision, openPayout, stakedIds } from "./payout.ts";
import { endRewarded, stakerToReward } from "./rewards.ts";
import type { StakerRow } from "./staker-set.ts";
import { changeSupply, type Staking, startStaking } from "./stakers.ts";

/**
 * Ends a cycle of what a RewardAutoRenewedValidatorTx names (ACP-236). With a commit the next one begins, unless the
 * validator is to exit; else its stake comes back, and all that earlier cycles restaked is paid.
 */
export function rewardRenewed(decision: Decision, stakingTxId: string): void {
  const staker = stakerToReward(decision, stakingTxId);
  if (decision.isCommitted && Number(staker.next_period) > 0) renew(decision, staker);
  else exit(decision, staker);
}

function exit(decision: Decision, staker: StakerRow): void {
  const { isCommitted } = decision;
  const potential = BigInt(staker.potential_reward ?? 0);
  if (!isCommitted) changeSupply(decision, staker.subnet_id, -potential);
  const payout = openOwnPayout(decision, staker);
  payout.giveBack();
  payout.pay({
    reward: BigInt(staker.restaked_reward ?? 0) + (isCommitted ? potential : 0n),
    share: BigInt(staker.restaked_share ?? 0) + BigInt(staker.accrued_share),
  });
  endRewarded(decision, staker);
  payout.close();
}

function renew(decision: Decision, staker: StakerRow): void {
  const earned = { reward: BigInt(staker.potential_reward ?? 0), share: BigInt(staker.accrued_share) };
  const restaked = restakedOf(decision, staker, earned);
  const payout = openOwnPayout(decision, staker);
  payout.pay({ reward: earned.reward - restaked.reward, share: earned.share - restaked.share });
  payout.close();
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

/** What a cycle brings a validator: its own reward, and its share of its delegators'. */
interface Earned {
  readonly reward: bigint;
  readonly share: bigint;
}

/** What of it is staked again: the part that the validator chose, as far as it may still grow. */
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
      `staker ${staker.tx_hash} of ${staker.weight} nAVAX goes on, though the network's rules allow ${network.rewards.maxValidatorStake}`,
    );
  if (total <= room) return chosen;
  const reward = (chosen.reward * room) / total;
  return { reward, share: room - reward };
}

/** Its rewards are the rewarding transaction's own outputs: the staking one would have them again in every cycle. */
function openOwnPayout(decision: Decision, staker: StakerRow) {
  const payout = openPayout(decision, staker, { txId: decision.proposal.tx.id, outputIndex: 0 });
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

/** How a validator is to go on after its cycle: for how long, 0 to exit, and which part of its rewards it stakes again. */
export function configure({ state, batch }: Staking, tx: PTransactionOf<"SetAutoRenewedValidatorConfigTx">): void {
  const staker = state.stakers.get(tx.txId);
  if (staker?.status !== "ACTIVE" || staker.next_period === null)
    throw new BadUpstreamData(`transaction ${tx.id} sets up ${tx.txId}, which is no auto-renewed validator`);
  Object.assign(staker, { next_period: tx.period, auto_compound_shares: tx.autoCompoundRewardShares });
  batch.changed.stakers.set(staker.tx_hash, staker);
}
