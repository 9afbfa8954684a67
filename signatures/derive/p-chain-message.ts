import { sha256 } from "../../core/formats/codec/bytes/hashes.ts";
import type { PTransaction, PTransactionOf } from "../../core/formats/codec/transactions/p-transactions.ts";
import { type ConversionData, conversionIdOf } from "../codec/conversion.ts";
import { encodeL1Message, type L1Message, type L1MessageOf, parseL1Message } from "../codec/l1-message.ts";
import { MalformedMessage } from "../codec/malformed-message.ts";
import { encodePayload, parseAddressedCall } from "../codec/payload.ts";
import { parseSignedMessage } from "../codec/signed-message.ts";
import { encodeUnsignedMessage, P_CHAIN_ID } from "../codec/unsigned-message.ts";

/** A message that validators sign about an accepted P-Chain transaction (E2). */
export interface DerivedMessage {
  readonly l1Message: L1Message;
  /** The bytes to sign. */
  readonly unsignedBytes: Uint8Array;
  /**
   * The chain with the validator manager, in hex. It verifies the message against the validators of its own subnet, so those
   * must sign. Source: avalanchego, precompile/contracts/warp/config.go of coreth and subnet-evm.
   */
  readonly verifyingChainId: string;
  /** Null if it must be found: the message says that `removedValidationId` is not registered. */
  readonly justification: Uint8Array | null;
  /** In hex; null unless the message is about a removed validator. */
  readonly removedValidationId: string | null;
}

/** Types of the transactions that have a message. */
export const TYPES_WITH_MESSAGE: ReadonlySet<string> = new Set([
  "ConvertSubnetToL1Tx",
  "RegisterL1ValidatorTx",
  "SetL1ValidatorWeightTx",
] satisfies PTransaction["txType"][]);

const NO_JUSTIFICATION = new Uint8Array();

/**
 * The message about a transaction; null if its type has none. Throws `MalformedMessage` if the transaction contains a message
 * that the P-Chain does not accept.
 */
export function deriveMessage(transaction: PTransaction): DerivedMessage | null {
  switch (transaction.txType) {
    case "ConvertSubnetToL1Tx":
      return conversionMessage(transaction);
    case "RegisterL1ValidatorTx":
      return registrationMessage(transaction);
    case "SetL1ValidatorWeightTx":
      return weightMessage(transaction);
    default:
      return null;
  }
}

/** The conversion data of a ConvertSubnetToL1Tx. The SHA-256 of its bytes is the conversion id. */
export function conversionDataOf(transaction: PTransactionOf<"ConvertSubnetToL1Tx">): ConversionData {
  const { subnetId, chainId, address, validators } = transaction;
  return {
    subnetId,
    managerChainId: chainId,
    managerAddress: Buffer.from(address, "hex"),
    validators: validators.map(({ nodeId, signer, weight }) => ({ nodeId, blsPublicKey: signer.publicKey, weight })),
  };
}

/** The bytes that validators sign for a message of the P-Chain. */
export function pChainMessage(networkId: number, l1Message: L1Message): Uint8Array {
  const payload = encodePayload({
    type: "AddressedCall",
    sourceAddress: new Uint8Array(),
    payload: encodeL1Message(l1Message),
  });
  return encodeUnsignedMessage({ networkId, sourceChainId: P_CHAIN_ID, payload });
}

/** The message of the L1's validator manager that a transaction contains. Throws `MalformedMessage` if the message has another type. */
export function managerMessage<Type extends L1Message["type"]>(
  { message }: PTransactionOf<"RegisterL1ValidatorTx" | "SetL1ValidatorWeightTx">,
  type: Type,
): { readonly sourceChainId: string; readonly bytes: Uint8Array; readonly content: L1MessageOf<Type> } {
  const { sourceChainId, payload } = parseSignedMessage(message).message;
  const { payload: bytes } = parseAddressedCall(payload);
  const content = parseL1Message(bytes);
  if (content.type !== type)
    throw new MalformedMessage(`the message in the transaction is ${content.type}, not ${type}`);
  return { sourceChainId, bytes, content: content as L1MessageOf<Type> }; // its type was compared
}

function conversionMessage(transaction: PTransactionOf<"ConvertSubnetToL1Tx">): DerivedMessage {
  const { networkId, subnetId, chainId } = transaction;
  const l1Message = {
    type: "SubnetToL1Conversion",
    conversionId: conversionIdOf(conversionDataOf(transaction)),
  } as const;
  return derived(networkId, l1Message, { verifyingChainId: chainId, justification: Buffer.from(subnetId, "hex") });
}

function registrationMessage(transaction: PTransactionOf<"RegisterL1ValidatorTx">): DerivedMessage {
  const { sourceChainId, bytes } = managerMessage(transaction, "RegisterL1Validator");
  const l1Message = { type: "L1ValidatorRegistration", validationId: sha256(bytes), registered: true } as const;
  return derived(transaction.networkId, l1Message, {
    verifyingChainId: sourceChainId,
    justification: NO_JUSTIFICATION,
  });
}

/**
 * The message about a new weight. For the weight 0, it is the message that the validator is not registered, because nodes refuse a
 * message about the weight 0.
 */
function weightMessage(transaction: PTransactionOf<"SetL1ValidatorWeightTx">): DerivedMessage {
  const { sourceChainId, content } = managerMessage(transaction, "L1ValidatorWeight");
  const { networkId } = transaction;
  if (content.weight > 0n)
    return derived(networkId, content, { verifyingChainId: sourceChainId, justification: NO_JUSTIFICATION });
  const { validationId } = content;
  const removal = { type: "L1ValidatorRegistration", validationId, registered: false } as const;
  return {
    ...derived(networkId, removal, { verifyingChainId: sourceChainId, justification: null }),
    removedValidationId: validationId,
  };
}

function derived(
  networkId: number,
  l1Message: L1Message,
  rest: Pick<DerivedMessage, "verifyingChainId" | "justification">,
): DerivedMessage {
  return { l1Message, unsignedBytes: pChainMessage(networkId, l1Message), removedValidationId: null, ...rest };
}
