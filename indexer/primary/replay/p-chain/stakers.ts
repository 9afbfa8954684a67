import type { PTransaction, PTransactionOf } from "../../../../core/formats/codec/transactions/p-transactions.ts";
import { potentialReward, type RewardRules, rewardRulesAt } from "../../../../core/networks/staking-rewards.ts";
import { ZERO_ID } from "../../network/chains.ts";
import type { NetworkFacts } from "../../network/network.ts";
import { type OwnerText, ownerText } from "../transactions/type-columns.ts";
import { outputColumns } from "../transactions/utxo-row.ts";
import type { StakerRow } from "./staker-set.ts";
import type { PState, StateChange } from "./state.ts";

type StakingTxType =
  | "AddValidatorTx"
  | "AddDelegatorTx"
  | "AddSubnetValidatorTx"
  | "AddPermissionlessValidatorTx"
  | "AddPermissionlessDelegatorTx"
  | "AddAutoRenewedValidatorTx";
export type StakingTransaction = PTransactionOf<StakingTxType>;

const TYPES: Readonly<
  Record<StakingTxType, { kind: "VALIDATOR" | "DELEGATOR"; priorities: readonly [number, number] }>
> = {
  // `priorities`: the order in which nodes start stakers of the same second, on the primary network and on a subnet.
  AddDelegatorTx: { kind: "DELEGATOR", priorities: [1, 1] },
  AddValidatorTx: { kind: "VALIDATOR", priorities: [2, 2] },
  AddPermissionlessDelegatorTx: { kind: "DELEGATOR", priorities: [3, 5] },
  AddPermissionlessValidatorTx: { kind: "VALIDATOR", priorities: [2, 4] },
  AddSubnetValidatorTx: { kind: "VALIDATOR", priorities: [6, 6] },
  AddAutoRenewedValidatorTx: { kind: "VALIDATOR", priorities: [2, 2] },
};

const RENEWAL = ["next_period", "auto_compound_shares", "restaked_reward", "restaked_share"] as const;

export function isStaking(tx: PTransaction): tx is StakingTransaction {
  return tx.txType in TYPES;
}

/** True for the types that end a stake, or a cycle of an auto-renewed one. */
export function isRewarding<Tx extends { readonly txType: string }>(
  tx: Tx,
): tx is Tx & { readonly txType: "RewardValidatorTx" | "RewardAutoRenewedValidatorTx" } {
  return tx.txType === "RewardValidatorTx" || tx.txType === "RewardAutoRenewedValidatorTx";
}

/** The subnet that the stake is on; `ZERO_ID` for the primary network. */
function subnetOf(tx: StakingTransaction): string {
  if (tx.txType === "AddSubnetValidatorTx") return tx.validator.subnetId;
  return "subnetId" in tx ? tx.subnetId : ZERO_ID;
}

/** Node, period (in seconds) and weight of a stake. */
interface StakeTerms {
  readonly nodeId: string;
  readonly start: number | bigint;
  readonly end: number;
  readonly weight: bigint;
}

/**
 * The terms that a transaction names. The transaction of an auto-renewed validator names only the length of a cycle. Its first
 * cycle starts at `now`, the time of its block.
 */
export function termsOf(tx: StakingTransaction, now: number): StakeTerms {
  if (tx.txType !== "AddAutoRenewedValidatorTx") return tx.validator;
  const weight = tx.stake.reduce((sum, { output }) => sum + outputColumns(output).amount, 0n);
  return { nodeId: tx.nodeId, start: now, end: now + tx.period, weight };
}

interface Owners {
  readonly reward: OwnerText | null;
  readonly share: OwnerText | null;
}

function ownersOf(tx: StakingTransaction): Owners {
  if (tx.txType === "AddSubnetValidatorTx") return { reward: null, share: null };
  if ("validationRewardsOwner" in tx)
    return { reward: ownerText(tx.validationRewardsOwner), share: ownerText(tx.delegationRewardsOwner) };
  const owner = ownerText(tx.rewardsOwner);
  return { reward: owner, share: tx.txType === "AddValidatorTx" ? owner : null };
}

/**
 * Adds a new staker to the state. With `start` it is active from that time on; with null it is pending until the start time that
 * `tx` names.
 */
export function addStaker(staking: StateChange, tx: StakingTransaction, start: number | null): StakerRow {
  const { state, batch } = staking;
  const terms = termsOf(tx, state.timestamp);
  const { kind, priorities } = TYPES[tx.txType];
  const subnetId = subnetOf(tx);
  const { reward, share } = ownersOf(tx);
  const signer = "signer" in tx && "publicKey" in tx.signer ? tx.signer : null;
  const row: StakerRow = {
    tx_hash: tx.id,
    staker_seq: state.counts.stakers++,
    kind,
    status: "PENDING",
    is_permissioned: tx.txType === "AddSubnetValidatorTx",
    subnet_id: subnetId,
    node_id: terms.nodeId,
    weight: terms.weight,
    start_timestamp: start ?? terms.start,
    end_timestamp: terms.end,
    start_priority: priorities[subnetId === ZERO_ID ? 0 : 1],
    shares: sharesOf(tx),
    bls_public_key: signer?.publicKey ?? null,
    bls_proof_of_possession: signer?.proofOfPossession ?? null,
    validator_tx_hash: kind === "DELEGATOR" ? (state.stakers.validator(subnetId, terms.nodeId)?.tx_hash ?? null) : null,
    output_count: tx.outputs.length,
    stake_count: "stake" in tx ? tx.stake.length : 0,
    stake_asset_id: ("stake" in tx && tx.stake[0]?.assetId) || null,
    reward_owner: reward && JSON.stringify(reward),
    share_owner: share && JSON.stringify(share),
    reward_addresses: [...new Set([...(reward?.addresses ?? []), ...(share?.addresses ?? [])])],
    potential_reward: null,
    accrued_share: 0n,
    reward_tx_hash: null,
    is_rewarded: null,
    ended_timestamp: null,
    remove_tx_hash: null,
    paid_reward: 0n,
    paid_share: 0n,
    ...renewalOf(tx),
  };
  state.stakers.put(row);
  batch.changed.stakers.set(row.tx_hash, row);
  for (const address of row.reward_addresses) {
    const { start_timestamp, staker_seq, tx_hash } = row;
    batch.add("staker_owners", { address, kind, start_timestamp, staker_seq, tx_hash });
  }
  if (start !== null) startStaking(staking, row);
  return row;
}

function sharesOf(tx: StakingTransaction): number | null {
  if ("delegationShares" in tx) return tx.delegationShares;
  return "shares" in tx ? tx.shares : null;
}

/** The columns of an auto-renewed validator's renewal; all null for other stakers. */
function renewalOf(tx: StakingTransaction): Pick<StakerRow, (typeof RENEWAL)[number]> {
  if (tx.txType !== "AddAutoRenewedValidatorTx")
    return { next_period: null, auto_compound_shares: null, restaked_reward: null, restaked_share: null };
  const { period, autoCompoundRewardShares } = tx;
  return {
    next_period: period,
    auto_compound_shares: autoCompoundRewardShares,
    restaked_reward: 0n,
    restaked_share: 0n,
  };
}

/** Makes a staker active. Its potential reward is added to the supply in advance. */
export function startStaking({ state, batch, network }: StateChange, row: StakerRow): void {
  row.status = "ACTIVE";
  const rules = row.is_permissioned ? null : rewardRulesOf(state, network, row);
  if (rules) {
    const stake = { seconds: Number(row.end_timestamp) - Number(row.start_timestamp), amount: BigInt(row.weight) };
    const reward = potentialReward(rules, stake, supplyOf(state, row.subnet_id));
    row.potential_reward = reward;
    changeSupply({ state, batch }, row.subnet_id, reward);
  }
  state.stakers.put(row);
  batch.changed.stakers.set(row.tx_hash, row);
}

/** Whether a new staker contradicts the rows: it delegates to no validator, or its subnet is neither permissioned nor elastic. */
export function isContradictory({ subnets }: PState, row: StakerRow): boolean {
  if (row.kind === "DELEGATOR" && row.validator_tx_hash === null) return true;
  return !row.is_permissioned && row.subnet_id !== ZERO_ID && subnets.get(row.subnet_id)?.maximum_supply == null;
}

/** Null for a subnet that is not elastic. */
function rewardRulesOf({ subnets }: PState, { rewards, upgrades }: NetworkFacts, row: StakerRow): RewardRules | null {
  const subnetId = row.subnet_id;
  if (subnetId === ZERO_ID) return rewardRulesAt(rewards, upgrades.helicon, Number(row.start_timestamp));
  const subnet = subnets.get(subnetId);
  if (subnet?.maximum_supply == null) return null;
  return {
    minConsumptionRate: BigInt(subnet.min_consumption_rate ?? 0),
    maxConsumptionRate: BigInt(subnet.max_consumption_rate ?? 0),
    mintingPeriodSeconds: rewards.mintingPeriodSeconds,
    supplyCap: BigInt(subnet.maximum_supply),
  };
}

function supplyOf({ currentSupply, subnets }: PState, subnetId: string): bigint {
  return subnetId === ZERO_ID ? currentSupply : BigInt(subnets.get(subnetId)?.current_supply ?? 0);
}

/** Changes the current supply of the primary network or of an elastic subnet. Other subnets have none. */
export function changeSupply(
  { state, batch }: Pick<StateChange, "state" | "batch">,
  subnetId: string,
  change: bigint,
): void {
  if (subnetId === ZERO_ID) {
    state.currentSupply += change;
    return;
  }
  const subnet = state.subnets.get(subnetId);
  if (subnet?.current_supply == null) return;
  subnet.current_supply = BigInt(subnet.current_supply) + change;
  batch.changed.subnets.set(subnetId, subnet);
}

/** Starts the stakers that are due, in the order in which nodes do, then ends the permissioned validators that are due. */
export function startAndEndStakers(staking: StateChange, timestamp: number): void {
  const { stakers } = staking.state;
  for (const row of stakers.toStart(timestamp)) startStaking(staking, row);
  for (const row of stakers.toEnd(timestamp))
    endStaker(staking, row, { status: "COMPLETED", ended_timestamp: row.end_timestamp });
}

/** Changes a staker's row for the last time and removes it from the state. */
export function endStaker(
  { state, batch }: Pick<StateChange, "state" | "batch">,
  row: StakerRow,
  end: Partial<StakerRow>,
): void {
  Object.assign(row, end);
  batch.changed.stakers.set(row.tx_hash, row);
  state.stakers.delete(row);
}
