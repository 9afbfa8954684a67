import type { PBlock } from "../../../../core/codec/blocks/p-blocks.ts";
import type { PTransaction, PTransactionOf } from "../../../../core/codec/transactions/p-transactions.ts";
import { BadUpstreamData } from "../../../../core/errors.ts";
import { ZERO_ID } from "../../network/chains.ts";
import type { NetworkFacts } from "../../network/network.ts";
import type { Batch, Place } from "../store/batch.ts";
import type { Proposer } from "../store/proposer-columns.ts";
import { type Described, describePTransaction, listUnder, transactionRow } from "../transactions/transaction-row.ts";
import { move, type StakeTimes } from "../transactions/utxo-changes.ts";
import { configure, rewardRenewed } from "./auto-renewal.ts";
import { evmChainIdOf } from "./evm-chain-id.ts";
import { gasAfter, gasOf } from "./gas.ts";
import { applyL1, charge, countActive, evictPoor } from "./l1.ts";
import type { Decision } from "./payout.ts";
import { admit, reward } from "./rewards.ts";
import { addStaker, endStaker, isRewarding, isStaking, promote, type StakingTransaction, termsOf } from "./stakers.ts";
import type { PState } from "./state.ts";

/** What a block is replayed onto, and where its rows go. */
export interface PReplay {
  readonly state: PState;
  readonly batch: Batch;
  readonly network: NetworkFacts;
  /** Number of the chain's next transaction. */
  txSeq: number;
}

/** Types of transactions that a proposal block proposes; all others take effect in it at once. */
const PROPOSED: ReadonlySet<PTransaction["txType"]> = new Set([
  "AdvanceTimeTx",
  "RewardValidatorTx",
  "RewardAutoRenewedValidatorTx",
] as const);
const OF_HELICON: ReadonlySet<PTransaction["txType"]> = new Set([
  "AddAutoRenewedValidatorTx",
  "SetAutoRenewedValidatorConfigTx",
  "RewardAutoRenewedValidatorTx",
] as const);

/** Applies a block that follows the last one. Throws `BadUpstreamData` where it cannot be a block of this chain. */
export function applyPBlock(replay: PReplay, block: PBlock, proposer: Proposer): void {
  const { state, batch } = replay;
  const place = (timestamp: number): Place => ({
    chain: "P",
    blockNumber: block.height,
    blockHash: block.id,
    vertexIndex: null,
    timestamp,
  });
  const isOption = block.blockType.endsWith("CommitBlock") || block.blockType.endsWith("AbortBlock");
  if (state.proposal && !isOption)
    throw new BadUpstreamData(`block ${block.height} does not decide on the proposal before it`);
  if (isOption) decide(replay, block, place);
  else {
    if (block.time !== null) advanceTime(replay, block.time);
    const proposed = block.blockType.endsWith("ProposalBlock") ? block.transactions.at(-1) : undefined;
    const here = place(state.timestamp);
    useGas(replay, proposed ? block.transactions.slice(0, -1) : block.transactions);
    for (const tx of block.transactions) applyTransaction(replay, tx, here, tx === proposed);
    if (isAfterEtna(replay)) evictPoor(replay);
  }
  const { id, height, parentId, blockType, transactions, size } = block;
  batch.add("primary_blocks", {
    chain: "P",
    block_number: height,
    block_hash: id,
    parent_hash: parentId,
    block_type: blockType,
    block_timestamp: state.timestamp,
    tx_hashes: transactions.map((tx) => tx.id),
    size_bytes: size,
    ...proposer,
    l1_validators_accrued_fees: state.l1AccruedFees,
    active_l1_validators: countActive(state),
    current_supply: state.currentSupply,
  });
}

const isAfterEtna = ({ state, network }: PReplay): boolean => state.timestamp >= network.upgrades.etna;

function advanceTime(replay: PReplay, timestamp: number): void {
  const { state, network } = replay;
  const seconds = timestamp - state.timestamp;
  if (seconds < 0)
    throw new BadUpstreamData(`a block of the P-Chain turns the time back from ${state.timestamp} to ${timestamp}`);
  promote(replay, timestamp);
  if (timestamp >= network.upgrades.etna) {
    state.gas = gasAfter(network.dynamicFees, state.gas, BigInt(seconds));
    charge(replay, seconds);
  }
  state.timestamp = timestamp;
}

function useGas(replay: PReplay, transactions: readonly PTransaction[]): void {
  if (!isAfterEtna(replay)) return;
  const { state, network } = replay;
  const gas = transactions.reduce((sum, tx) => sum + gasOf(network.dynamicFees, tx), 0n);
  const capacity = state.gas.capacity - gas;
  if (capacity < 0n)
    throw new BadUpstreamData(`a block of the P-Chain uses ${gas} gas, of which there is ${state.gas.capacity}`);
  state.gas = { capacity, excess: state.gas.excess + gas };
}

function decide(replay: PReplay, block: PBlock, placeAt: (timestamp: number) => Place): void {
  const { state, batch } = replay;
  const { proposal } = state;
  // Block 0 is a commit without a proposal.
  if (!proposal) {
    if (block.height > 0) throw new BadUpstreamData(`block ${block.height} decides, but nothing was proposed`);
    return;
  }
  state.proposal = null;
  const isCommitted = block.blockType.endsWith("CommitBlock");
  const { tx } = proposal;
  if (tx.txType === "AdvanceTimeTx") {
    if (isCommitted) advanceTime(replay, tx.time);
    return;
  }
  const decision: Decision = { ...replay, batch, proposal, isCommitted, place: placeAt(state.timestamp) };
  if (tx.txType === "RewardValidatorTx") reward(decision, tx.txId);
  else if (tx.txType === "RewardAutoRenewedValidatorTx") rewardRenewed(decision, tx.txId);
  else admit(decision);
}

function applyTransaction(replay: PReplay, tx: PTransaction, place: Place, isProposed: boolean): void {
  const { state, batch, network } = replay;
  if (PROPOSED.has(tx.txType) && !isProposed)
    throw new BadUpstreamData(`transaction ${tx.id} of type ${tx.txType} is not proposed`);
  // Stakes earn by other rates since, so that a wrong time would show only in amounts.
  if (OF_HELICON.has(tx.txType) && state.timestamp < network.upgrades.helicon)
    throw new BadUpstreamData(
      `transaction ${tx.id} of type ${tx.txType} comes before Helicon, as the network's rules have it`,
    );
  const txSeq = replay.txSeq++;
  const stake = isStaking(tx) ? stakeTimesOf(replay, tx) : null;
  const moves = move({ batch, network, place }, tx, isProposed ? null : stake);
  const staker =
    isStaking(tx) && !isProposed ? addStaker(replay, tx, isAfterDurango(replay) ? place.timestamp : null) : null;
  const l1 = applyL1({ state, batch, network, place }, tx);
  const described = describePTransaction(tx);
  const staked = stake && {
    start_timestamp: stake.start,
    end_timestamp: stake.end,
    subnet_id: described.subnet_id ?? ZERO_ID,
  };
  const row = transactionRow(
    place,
    txSeq,
    tx,
    { ...moves, emittedIds: [...moves.emittedIds, ...(l1?.refunds ?? [])] },
    {
      ...described,
      ...l1?.described,
      ...staked,
      ...stakerColumns(state, tx),
      details: {
        ...described.details,
        ...l1?.described.details,
        // Its staker's row is of the present cycle, not of the first.
        ...(staker && staker.next_period !== null && { estimatedReward: String(staker.potential_reward) }),
      },
    },
    network.avaxAssetId,
  );
  batch.add("primary_transactions", row);
  for (const id of l1?.refunds ?? []) for (const address of batch.ownersOf(id)) moves.addresses.add(address);
  listUnder(batch, moves.addresses, row);
  for (const validation_id of l1?.validationIds ?? []) {
    const { tx_seq, tx_type, block_timestamp } = row;
    batch.add("l1_validator_transactions", { validation_id, tx_seq, tx_type, block_timestamp });
  }
  if (isProposed) {
    state.proposal = { tx, txSeq, blockNumber: place.blockNumber ?? 0 };
    return;
  }
  (EFFECTS[tx.txType] as ((replay: PReplay, tx: PTransaction, place: Place) => void) | undefined)?.(replay, tx, place);
}

const isAfterDurango = ({ state, network }: PReplay): boolean => state.timestamp >= network.upgrades.durango;

/** Since Durango a stake starts with its block, whatever it says of its start. */
function stakeTimesOf(replay: PReplay, tx: StakingTransaction): NonNullable<StakeTimes> {
  const { start, end } = termsOf(tx, replay.state.timestamp);
  return { start: isAfterDurango(replay) ? replay.state.timestamp : Number(start), end };
}

/** What rewards is shown with the stake, or the cycle of it, that ends; what sets one up only with its node. */
function stakerColumns({ stakers }: PState, tx: PTransaction): Described {
  const row = isRewarding(tx) || tx.txType === "SetAutoRenewedValidatorConfigTx" ? stakers.get(tx.txId) : undefined;
  if (!row) return {};
  const { node_id, subnet_id, start_timestamp, end_timestamp } = row;
  return { node_id, subnet_id, ...(isRewarding(tx) && { start_timestamp, end_timestamp }) };
}

type Effects = {
  readonly [Type in PTransaction["txType"]]?: (replay: PReplay, tx: PTransactionOf<Type>, place: Place) => void;
};

/** What transactions do to the state beside moving outputs, staking, and validating L1s. */
const EFFECTS: Effects = {
  CreateSubnetTx({ state, batch }, tx, { blockNumber, timestamp }) {
    const { locktime, threshold, addresses } = tx.owner;
    const row = {
      subnet_id: tx.id,
      subnet_seq: state.counts.subnets++,
      create_block_number: blockNumber ?? 0,
      create_timestamp: timestamp,
      create_owner_addresses: addresses,
      create_owner_threshold: threshold,
      create_owner_locktime: locktime,
      owner_addresses: addresses,
      owner_threshold: threshold,
      owner_locktime: locktime,
      conversion_tx_hash: null,
      conversion_timestamp: null,
      manager_chain_id: null,
      manager_address: null,
      transform_tx_hash: null,
      staking_asset_id: null,
      current_supply: null,
      maximum_supply: null,
      min_consumption_rate: null,
      max_consumption_rate: null,
    };
    state.subnets.set(tx.id, row);
    batch.changed.subnets.set(tx.id, row);
  },
  TransferSubnetOwnershipTx(replay, tx) {
    const { locktime, threshold, addresses } = tx.newOwner;
    changeSubnet(replay, tx.subnetId, {
      owner_addresses: addresses,
      owner_threshold: threshold,
      owner_locktime: locktime,
    });
  },
  TransformSubnetTx(replay, tx) {
    changeSubnet(replay, tx.subnetId, {
      transform_tx_hash: tx.id,
      staking_asset_id: tx.assetId,
      current_supply: tx.initialSupply,
      maximum_supply: tx.maximumSupply,
      min_consumption_rate: tx.minConsumptionRate,
      max_consumption_rate: tx.maxConsumptionRate,
    });
  },
  CreateChainTx({ state, batch }, tx, { blockNumber, timestamp }) {
    batch.add("blockchains", blockchainRow(state, tx, blockNumber ?? 0, timestamp));
  },
  SetAutoRenewedValidatorConfigTx: configure,
  RemoveSubnetValidatorTx(replay, tx, { timestamp }) {
    const row = replay.state.stakers.validator(tx.subnetId, tx.nodeId);
    if (!row) throw new BadUpstreamData(`transaction ${tx.id} removes node ${tx.nodeId}, which is no validator`);
    endStaker(replay, row, { status: "REMOVED", ended_timestamp: timestamp, remove_tx_hash: tx.id });
  },
};

function changeSubnet({ state, batch }: PReplay, subnetId: string, change: Partial<PStateSubnet>): void {
  const row = state.subnets.get(subnetId);
  if (!row) throw new BadUpstreamData(`subnet ${subnetId} does not exist, but a transaction changes it`);
  Object.assign(row, change);
  batch.changed.subnets.set(subnetId, row);
}

type PStateSubnet = PState["subnets"] extends Map<string, infer Row> ? Row : never;

/** A new chain; those of the genesis are in block -1. */
export function blockchainRow(
  state: PState,
  tx: PTransactionOf<"CreateChainTx">,
  blockNumber: number,
  timestamp: number,
) {
  const genesis = Buffer.from(tx.genesisData.buffer, tx.genesisData.byteOffset, tx.genesisData.byteLength);
  return {
    blockchain_id: tx.id,
    blockchain_seq: state.counts.blockchains++,
    subnet_id: tx.subnetId,
    create_block_number: blockNumber,
    create_timestamp: timestamp,
    vm_id: tx.vmId,
    name: tx.chainName,
    genesis_data: genesis.toString("hex"),
    evm_chain_id: evmChainIdOf(genesis),
  };
}
