import type { EndState } from "../store/activity/p-chain-hours.ts";
import type { PReplay } from "./state.ts";

/** The figures of the P-Chain's state after a block. */
export function endStateAfter({ state, network }: Pick<PReplay, "state" | "network">, blockNumber: number): EndState {
  const { validators, delegators, validatorStake, delegatorStake, annualRewards } = state.stakers.totals;
  const { subnets, blockchains, l1s } = state.counts;
  return {
    last_block: blockNumber,
    validators,
    delegators,
    validator_stake: validatorStake,
    delegator_stake: delegatorStake,
    annual_rewards: annualRewards,
    subnets,
    blockchains: blockchains - network.genesis.p.chains.length,
    l1s,
  };
}
