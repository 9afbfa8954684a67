import { BadUpstreamData } from "../../../../core/errors/errors.ts";
import { conversionValidationId } from "../../../../core/formats/codec/bytes/hashes.ts";
import type { PTransaction, PTransactionOf } from "../../../../core/formats/codec/transactions/p-transactions.ts";
import { decodeWarpL1Message } from "../../decode/warp.ts";
import type { ChainPosition } from "../store/batch.ts";
import type { L1ValidatorText, TypeColumns } from "../transactions/type-columns.ts";
import { utxoRow } from "../transactions/utxo-row.ts";
import { entryKey } from "./entry-key.ts";
import { costOf, excessAfter } from "./l1-fees.ts";
import { NoEffect } from "./no-effect.ts";
import type { L1ValidatorRow, PState, StateChange } from "./state.ts";

interface L1Change extends StateChange {
  readonly position: ChainPosition;
}

/** The result of an L1 transaction: columns of its row, ids of refunded outputs, and the validations that it changed. */
interface L1Effect {
  readonly columns: TypeColumns;
  readonly refunds: readonly string[];
  readonly validationIds: readonly string[];
}

type L1TxType =
  | "ConvertSubnetToL1Tx"
  | "RegisterL1ValidatorTx"
  | "SetL1ValidatorWeightTx"
  | "IncreaseL1ValidatorBalanceTx"
  | "DisableL1ValidatorTx";
type Effects = { readonly [Type in L1TxType]: (l1: L1Change, tx: PTransactionOf<Type>) => L1Effect };

const EFFECTS: Effects = {
  ConvertSubnetToL1Tx(l1, tx) {
    const { state, batch, position } = l1;
    const subnet = state.subnets.get(tx.subnetId);
    if (!subnet) throw new NoEffect(`transaction ${tx.id} converts subnet ${tx.subnetId}, which does not exist`);
    if (subnet.conversion_tx_hash === null) state.counts.l1s++;
    Object.assign(subnet, {
      conversion_tx_hash: tx.id,
      conversion_timestamp: position.timestamp,
      manager_chain_id: tx.chainId,
      manager_address: tx.address,
    });
    batch.changed.subnets.set(tx.subnetId, subnet);
    const rows = tx.validators.map((validator, index) =>
      addValidator(l1, {
        validationId: conversionValidationId(tx.subnetId, index),
        subnetId: tx.subnetId,
        ...validator,
        publicKey: validator.signer.publicKey,
        proofOfPossession: validator.signer.proofOfPossession,
      }),
    );
    return effect(l1, rows, (_, index) => tx.validators[index]?.balance ?? 0n);
  },
  RegisterL1ValidatorTx(l1, tx) {
    const { message, messageId } = decodeWarpL1Message(tx.message);
    if (message.type !== "RegisterL1Validator")
      throw new BadUpstreamData(`transaction ${tx.id} of type ${tx.txType} holds a message of type ${message.type}`);
    const row = addValidator(l1, {
      validationId: messageId,
      subnetId: message.subnetId,
      nodeId: message.nodeId,
      weight: message.weight,
      balance: tx.balance,
      publicKey: message.blsPublicKey,
      proofOfPossession: tx.proofOfPossession,
      remainingBalanceOwner: message.remainingBalanceOwner,
      deactivationOwner: message.disableOwner,
    });
    return effect(l1, [row], () => tx.balance);
  },
  SetL1ValidatorWeightTx(l1, tx) {
    const { message } = decodeWarpL1Message(tx.message);
    if (message.type !== "L1ValidatorWeight")
      throw new BadUpstreamData(`transaction ${tx.id} of type ${tx.txType} holds a message of type ${message.type}`);
    const row = validator(l1, message.validationId);
    row.weight = message.weight;
    row.min_nonce = message.nonce + 1n;
    if (message.weight > 0n) return effect(l1, [row], null);
    const refund = deactivate(l1, row, tx);
    row.is_removed = true;
    l1.state.l1Validators.delete(row.validation_id);
    return effect(l1, [row], refund && (() => -refund.amount), refund?.utxoId);
  },
  IncreaseL1ValidatorBalanceTx(l1, tx) {
    const row = validator(l1, tx.validationId);
    const from = row.is_active ? BigInt(row.end_accumulated_fee) : l1.state.l1AccruedFees;
    Object.assign(row, { is_active: true, end_accumulated_fee: from + tx.balance });
    return effect(l1, [row], () => tx.balance);
  },
  DisableL1ValidatorTx(l1, tx) {
    const row = validator(l1, tx.validationId);
    const refund = deactivate(l1, row, tx);
    return effect(l1, [row], refund && (() => -refund.amount), refund?.utxoId);
  },
};

/** Applies a transaction that changes L1 validators; null if it is of another type. Throws `NoEffect`. */
export function applyL1Transaction<Type extends PTransaction["txType"]>(
  l1: L1Change,
  tx: PTransactionOf<Type>,
): L1Effect | null {
  const apply = EFFECTS[tx.txType as L1TxType] as ((l1: L1Change, tx: PTransaction) => L1Effect) | undefined;
  return apply?.(l1, tx) ?? null;
}

function effect(
  { state, batch }: L1Change,
  rows: readonly L1ValidatorRow[],
  changeOf: ((row: L1ValidatorRow, index: number) => bigint) | null,
  refund?: string,
): L1Effect {
  for (const row of rows) {
    batch.changed.l1_validators.set(row.validation_id, row);
    state.weights.changed.add(entryKey(row.subnet_id, row.validation_id));
  }
  const l1Validators = rows.map(
    (row, index): L1ValidatorText => ({
      validationId: row.validation_id,
      nodeId: row.node_id,
      subnetId: row.subnet_id,
      weight: String(row.weight),
      remainingBalance: String(remainingBalance(state, row)),
      ...(changeOf && { balanceChange: String(changeOf(row, index)) }),
      publicKey: row.bls_public_key,
      proofOfPossession: row.bls_proof_of_possession,
    }),
  );
  const subnetId = rows[0]?.subnet_id;
  return {
    columns: { details: { l1Validators }, ...(subnetId !== undefined && { subnet_id: subnetId }) },
    refunds: refund ? [refund] : [],
    validationIds: rows.map(({ validation_id }) => validation_id),
  };
}

/** The remaining balance of a validator, in nAVAX; 0 if it is not active. */
function remainingBalance({ l1AccruedFees }: PState, { is_active, end_accumulated_fee }: L1ValidatorRow): bigint {
  return is_active ? BigInt(end_accumulated_fee) - l1AccruedFees : 0n;
}

interface NewValidator {
  readonly validationId: string;
  readonly subnetId: string;
  readonly nodeId: string;
  readonly weight: bigint;
  readonly balance: bigint;
  readonly publicKey: string;
  readonly proofOfPossession: string;
  readonly remainingBalanceOwner: Owner;
  readonly deactivationOwner: Owner;
}

interface Owner {
  readonly threshold: number;
  readonly addresses: readonly string[];
}

function addValidator({ state, position }: L1Change, one: NewValidator): L1ValidatorRow {
  if (state.l1Validators.has(one.validationId))
    throw new NoEffect(`L1 validation ${one.validationId} is registered twice`);
  const isActive = one.balance > 0n;
  const row: L1ValidatorRow = {
    validation_id: one.validationId,
    validator_seq: state.counts.l1Validators++,
    subnet_id: one.subnetId,
    node_id: one.nodeId,
    weight: one.weight,
    creation_timestamp: position.timestamp,
    bls_public_key: one.publicKey,
    bls_proof_of_possession: one.proofOfPossession,
    remaining_balance_owner_addresses: one.remainingBalanceOwner.addresses,
    remaining_balance_owner_threshold: one.remainingBalanceOwner.threshold,
    deactivation_owner_addresses: one.deactivationOwner.addresses,
    deactivation_owner_threshold: one.deactivationOwner.threshold,
    min_nonce: 0n,
    end_accumulated_fee: isActive ? state.l1AccruedFees + one.balance : 0n,
    is_active: isActive,
    is_removed: false,
  };
  state.l1Validators.set(one.validationId, row);
  return row;
}

function validator({ state }: L1Change, validationId: string): L1ValidatorRow {
  const row = state.l1Validators.get(validationId);
  if (!row) throw new NoEffect(`a transaction names L1 validation ${validationId}, which does not exist`);
  return row;
}

/**
 * Deactivates a validator and refunds the rest of its balance as an output, whose index follows those of the transaction's own
 * outputs. Null if the validator is not active.
 */
function deactivate(
  { state, batch, network, position }: L1Change,
  row: L1ValidatorRow,
  tx: Extract<PTransaction, { outputs: unknown }>,
) {
  const amount = remainingBalance(state, row);
  if (!row.is_active) return null;
  Object.assign(row, { is_active: false, end_accumulated_fee: 0n });
  const output = {
    type: "secp256k1fx.TransferOutput" as const,
    amount,
    locktime: 0n,
    threshold: Number(row.remaining_balance_owner_threshold),
    addresses: row.remaining_balance_owner_addresses,
  } as const;
  const refund = { txId: tx.id, outputIndex: tx.outputs.length, assetId: network.avaxAssetId, output };
  const utxo = utxoRow(position, refund, "REFUND");
  batch.create(utxo);
  return { amount, utxoId: utxo.utxo_id };
}

/** Number of active L1 validators. */
export function countActive({ l1Validators }: PState): number {
  let count = 0;
  for (const { is_active } of l1Validators.values()) if (is_active) count++;
  return count;
}

/** Charges the active validators for that many seconds, and deactivates those whose balance is used up. */
export function chargeL1Fees({ state, batch, network }: StateChange, seconds: number): void {
  const { l1Fees } = network;
  const active = BigInt(countActive(state));
  const cost = costOf(l1Fees, state.l1FeeExcess, active, seconds);
  state.l1AccruedFees += cost;
  batch.pChainHours.addL1ValidatorFees(cost * active);
  deactivateUpTo({ state, batch }, state.l1AccruedFees);
  state.l1FeeExcess = excessAfter(state.l1FeeExcess, active, l1Fees.target, BigInt(seconds));
}

/** Deactivates validators that cannot pay for one more second. The rest of their balance is lost. */
export function deactivateUnableToPay({ state, batch, network }: StateChange): void {
  const active = BigInt(countActive(state));
  const next = costOf(network.l1Fees, state.l1FeeExcess, active, 1);
  deactivateUpTo({ state, batch }, state.l1AccruedFees + next - 1n);
}

/**
 * Deactivates the validators whose balance is used up when the accrued fees reach `limit`. A validator pays exactly its balance: less than
 * was charged if the balance was too small, and the rest of it if it does not suffice for one more second.
 */
function deactivateUpTo({ state, batch }: Pick<StateChange, "state" | "batch">, limit: bigint): void {
  for (const row of state.l1Validators.values()) {
    if (!row.is_active || BigInt(row.end_accumulated_fee) > limit) continue;
    batch.pChainHours.addL1ValidatorFees(remainingBalance(state, row));
    Object.assign(row, { is_active: false, end_accumulated_fee: 0n });
    batch.changed.l1_validators.set(row.validation_id, row);
    state.weights.changed.add(entryKey(row.subnet_id, row.validation_id));
  }
}
