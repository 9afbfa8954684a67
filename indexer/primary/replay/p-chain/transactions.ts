import { BadUpstreamData } from "../../../../core/errors/errors.ts";
import type { PTransaction, PTransactionOf } from "../../../../core/formats/codec/transactions/p-transactions.ts";
import { ZERO_ID } from "../../network/chains.ts";
import type { ChainPosition } from "../store/batch.ts";
import { effectException } from "../store/outputs/exceptions.ts";
import { addRepetition } from "../transactions/repetition.ts";
import { transactionRow } from "../transactions/transaction-row.ts";
import { columnsOfPTransaction, type TypeColumns } from "../transactions/type-columns.ts";
import { applyUtxoChanges, type StakePeriod } from "../transactions/utxo-changes.ts";
import { setRenewalConfig } from "./auto-renewal.ts";
import { applyL1Transaction } from "./l1-validators.ts";
import { ifPossible, NoEffect } from "./no-effect.ts";
import {
  addStaker,
  endStaker,
  isContradictory,
  isRewarding,
  isStaking,
  type StakingTransaction,
  termsOf,
} from "./stakers.ts";
import type { PReplay, PState } from "./state.ts";
import { blockchainRow, changeSubnet, createSubnet } from "./subnets.ts";

/** The types that must be in a proposal block. Other types take effect in their block, except stakers proposed before Banff. */
const PROPOSED: ReadonlySet<PTransaction["txType"]> = new Set([
  "AdvanceTimeTx",
  "RewardValidatorTx",
  "RewardAutoRenewedValidatorTx",
] as const);
const SINCE_HELICON: ReadonlySet<PTransaction["txType"]> = new Set([
  "AddAutoRenewedValidatorTx",
  "SetAutoRenewedValidatorConfigTx",
  "RewardAutoRenewedValidatorTx",
] as const);

/** Applies a transaction of the next block to the state and adds its rows to the batch. A proposed one waits for the decision. */
export function applyTransaction(
  replay: PReplay,
  tx: PTransaction,
  position: ChainPosition,
  isProposed: boolean,
): void {
  const { state, batch, network } = replay;
  checkType(replay, tx, isProposed);
  if (replay.indexed.has(tx.id)) {
    repeat(replay, tx, position, isProposed);
    return;
  }
  const txSeq = replay.txSeq++;
  const effective = { batch, txSeq, txId: tx.id };
  const stake = isStaking(tx) ? stakePeriodOf(replay, tx) : null;
  const changes = applyUtxoChanges({ batch, network, position, txSeq }, tx, isProposed ? null : stake);
  const start = isAfterDurango(replay) ? position.timestamp : null;
  const staker = isStaking(tx) && !isProposed ? addStaker(replay, tx, start) : null;
  if (staker && isContradictory(state, staker)) batch.except(effectException("P", txSeq, tx.id));
  const l1 = ifPossible(effective, () => applyL1Transaction({ state, batch, network, position }, tx));
  const refunds = l1?.refunds ?? [];
  const ofType = columnsOfPTransaction(tx);
  const columns: TypeColumns = {
    ...ofType,
    ...l1?.columns,
    ...(stake && {
      start_timestamp: stake.start,
      end_timestamp: stake.end,
      subnet_id: ofType.subnet_id ?? ZERO_ID,
    }),
    ...rewardedStakerColumns(state, tx),
    details: {
      ...ofType.details,
      ...l1?.columns.details,
      // An auto-renewed staker's row holds the reward of its current cycle only.
      ...(staker && staker.next_period !== null && { estimatedReward: String(staker.potential_reward) }),
    },
  };
  const emittedIds = [...changes.emittedIds, ...refunds];
  const row = transactionRow(position, txSeq, tx, { ...changes, emittedIds }, columns, network.avaxAssetId);
  batch.add("primary_transactions", row);
  replay.indexed.set(tx.id, position);
  batch.list(changes.addresses, row);
  for (const id of refunds) batch.list(batch.ownersOf(id), row);
  for (const validation_id of l1?.validationIds ?? []) {
    const { tx_seq, tx_type, block_timestamp } = row;
    batch.add("l1_validator_transactions", { validation_id, tx_seq, tx_type, block_timestamp });
  }
  if (isProposed) state.proposal = { tx, txSeq, blockNumber: position.blockNumber ?? 0, isRepeated: false };
  else ifPossible(effective, () => applyEffect(replay, tx, position));
}

/**
 * A block contains a transaction once more. Before Banff, a proposal to advance the time that was aborted has the same id when it is
 * proposed again: it waits for its decision. Any other transaction changes nothing.
 */
function repeat(replay: PReplay, tx: PTransaction, position: ChainPosition, isProposed: boolean): void {
  const txSeq = addRepetition(replay, tx.id, position);
  if (isProposed) replay.state.proposal = { tx, txSeq, blockNumber: position.blockNumber ?? 0, isRepeated: true };
}

function checkType({ state, network }: PReplay, tx: PTransaction, isProposed: boolean): void {
  if (PROPOSED.has(tx.txType) && !isProposed)
    throw new BadUpstreamData(`transaction ${tx.id} of type ${tx.txType} is not in a proposal block`);
  // Rewards change with Helicon, so a wrong upgrade time would otherwise show in wrong amounts only.
  if (SINCE_HELICON.has(tx.txType) && state.timestamp < network.upgrades.helicon)
    throw new BadUpstreamData(
      `transaction ${tx.id} of type ${tx.txType} is in a block before the configured activation time of Helicon: correct primaryNetworks[].upgradesFile`,
    );
}

const isAfterDurango = ({ state, network }: PReplay): boolean => state.timestamp >= network.upgrades.durango;

/** Since Durango a stake starts with its block, whatever start the transaction names. */
function stakePeriodOf(replay: PReplay, tx: StakingTransaction): StakePeriod {
  const { start, end } = termsOf(tx, replay.state.timestamp);
  return { start: isAfterDurango(replay) ? replay.state.timestamp : Number(start), end };
}

/**
 * Columns of the staker that a transaction rewards or whose renewal it configures. Those of a reward include the period that ends.
 */
function rewardedStakerColumns({ stakers }: PState, tx: PTransaction): TypeColumns {
  const row = isRewarding(tx) || tx.txType === "SetAutoRenewedValidatorConfigTx" ? stakers.get(tx.txId) : undefined;
  if (!row) return {};
  const { node_id, subnet_id, start_timestamp, end_timestamp } = row;
  return { node_id, subnet_id, ...(isRewarding(tx) && { start_timestamp, end_timestamp }) };
}

type Effects = {
  readonly [Type in PTransaction["txType"]]?: (
    replay: PReplay,
    tx: PTransactionOf<Type>,
    position: ChainPosition,
  ) => void;
};

/** Changes of the state, by type of transaction, other than those of outputs, new stakers and L1 validators. */
const EFFECTS: Effects = {
  CreateSubnetTx: createSubnet,
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
  SetAutoRenewedValidatorConfigTx: setRenewalConfig,
  RemoveSubnetValidatorTx(replay, tx, { timestamp }) {
    const row = replay.state.stakers.validator(tx.subnetId, tx.nodeId);
    if (!row) throw new NoEffect(`transaction ${tx.id} removes node ${tx.nodeId}, which is not a validator`);
    endStaker(replay, row, { status: "REMOVED", ended_timestamp: timestamp, remove_tx_hash: tx.id });
  },
};

function applyEffect(replay: PReplay, tx: PTransaction, position: ChainPosition): void {
  const apply = EFFECTS[tx.txType] as // the effect of that type
    | ((replay: PReplay, tx: PTransaction, position: ChainPosition) => void)
    | undefined;
  apply?.(replay, tx, position);
}
