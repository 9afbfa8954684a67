import { decodePBlock } from "../../core/formats/codec/blocks/p-blocks.ts";
import { conversionValidationId, sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import type { PTransaction, PTransactionOf } from "../../core/formats/codec/transactions/p-transactions.ts";
import { formatId, formatNodeId } from "../../core/formats/id-text.ts";
import { conversionIdOf } from "../codec/conversion.ts";
import { conversionDataOf, managerMessage } from "../derive/p-chain-message.ts";
import type { PChainView } from "../validator-sim/signing/ledger.ts";
import type { ArrivingBytes } from "./recorded-contents.ts";

/** The state after a block. */
export interface PChainMoment extends PChainView {
  readonly arrivesAtMs: number;
}

type State = PChainView["state"];
type L1Validators = State["l1Validators"];

const NOTHING: State = { conversions: {}, l1Validators: {}, expiries: [] };

/**
 * The states of the P-Chain after each of its blocks, as far as nodes need them to check messages about L1s. A block that
 * changes no L1 keeps the state object of the block before.
 */
export function pChainHistory(blocks: readonly ArrivingBytes[]): PChainMoment[] {
  const moments: PChainMoment[] = [];
  let [state, timeSeconds] = [NOTHING, 0n];
  for (const { bytes, arrivesAtMs } of blocks) {
    const { time, transactions } = decodePBlock(bytes);
    if (time !== null) timeSeconds = BigInt(time);
    state = transactions.reduce(stateAfter, state);
    moments.push({ state, timeSeconds, arrivesAtMs });
  }
  return moments;
}

function stateAfter(state: State, transaction: PTransaction): State {
  switch (transaction.txType) {
    case "ConvertSubnetToL1Tx":
      return afterConversion(state, transaction);
    case "RegisterL1ValidatorTx":
      return afterRegistration(state, transaction);
    case "SetL1ValidatorWeightTx":
      return afterWeight(state, transaction);
    default:
      return state;
  }
}

function afterConversion(state: State, transaction: PTransactionOf<"ConvertSubnetToL1Tx">): State {
  const { chainId, address, validators } = transaction;
  const subnetId = formatId(transaction.subnetId);
  const conversion = {
    conversionId: formatId(conversionIdOf(conversionDataOf(transaction))),
    managerChainId: formatId(chainId),
    managerAddress: Buffer.from(address, "hex"),
  };
  const added = validators.map(({ nodeId, signer, weight }, index) => [
    formatId(conversionValidationId(transaction.subnetId, index)),
    l1Validator(subnetId, { nodeId, blsPublicKey: signer.publicKey, weight }),
  ]);
  return {
    ...state,
    conversions: { ...state.conversions, [subnetId]: conversion },
    l1Validators: { ...state.l1Validators, ...Object.fromEntries(added) },
  };
}

/** Keeps the expiry for ever, because a validation that was registered once cannot be registered again. */
function afterRegistration(state: State, transaction: PTransactionOf<"RegisterL1ValidatorTx">): State {
  const { bytes, content } = managerMessage(transaction, "RegisterL1Validator");
  const validationId = formatId(sha256(bytes));
  const added = l1Validator(formatId(content.subnetId), content);
  return {
    ...state,
    l1Validators: { ...state.l1Validators, [validationId]: added },
    expiries: [...state.expiries, validationId],
  };
}

function afterWeight(state: State, transaction: PTransactionOf<"SetL1ValidatorWeightTx">): State {
  const { validationId, nonce, weight } = managerMessage(transaction, "L1ValidatorWeight").content;
  const id = formatId(validationId);
  const { [id]: changed, ...others } = state.l1Validators;
  if (!changed) throw new Error(`transaction ${transaction.id} changes the unknown validation ${id}`);
  const kept = weight > 0n ? { [id]: { ...changed, weight, minNonce: nonce + 1n } } : {};
  return { ...state, l1Validators: { ...others, ...kept } };
}

function l1Validator(
  subnetId: string,
  { nodeId, blsPublicKey, weight }: { nodeId: string; blsPublicKey: string; weight: bigint },
): L1Validators[string] {
  return {
    subnetId,
    nodeId: formatNodeId(nodeId),
    publicKey: Buffer.from(blsPublicKey, "hex"),
    weight,
    minNonce: 0n,
    // Balance and start time have no effect here: inactive validators exist too, and the validator sets come from the index.
    balance: 1n,
    startTime: 0n,
  };
}
