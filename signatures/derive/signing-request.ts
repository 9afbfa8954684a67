import { Failure } from "../../core/errors/errors.ts";
import type { PTransaction, PTransactionOf } from "../../core/formats/codec/transactions/p-transactions.ts";
import { formatId } from "../../core/formats/id-text.ts";
import { conversionIdOf } from "../codec/conversion.ts";
import { encodeJustification, type Justification, validationIdOf } from "../codec/justification.ts";
import { parseL1Message } from "../codec/l1-message.ts";
import { MalformedMessage } from "../codec/malformed-message.ts";
import { conversionDataOf, deriveMessage, pChainMessage } from "./p-chain-message.ts";
import { originIn } from "./validation-origin.ts";

/** What validators are asked to sign. */
export interface SigningRequest {
  readonly unsignedBytes: Uint8Array;
  /** Empty if nodes need none. */
  readonly justification: Uint8Array;
  /** The subnet whose validators must sign, in hex. */
  readonly signingSubnetId: string;
}

/** What the index knows. Ids in hex. */
export interface PChainIndex {
  /** The subnet whose validators validate a chain, as `platform.validatedBy`; null for an unknown chain. */
  subnetOfChain(chainId: string): Promise<string | null>;
  /** The ConvertSubnetToL1Tx or RegisterL1ValidatorTx that created a validation; null for an unknown validation. */
  transactionOfValidation(validationId: string): Promise<PTransaction | null>;
  /** The transaction that converted a subnet to an L1; null if there is none. */
  conversionOfSubnet(subnetId: string): Promise<PTransactionOf<"ConvertSubnetToL1Tx"> | null>;
}

/** Reasons why transactions of some types, though about L1 validators, have no message. */
const WITHOUT_MESSAGE: ReadonlyMap<string, string> = new Map([
  ["DisableL1ValidatorTx", "the validator stays registered with its weight"],
  ["IncreaseL1ValidatorBalanceTx", "the validator stays registered with its weight"],
]);

/**
 * What validators are asked to sign for a transaction (E2). Fails with `INVALID_PARAMETER` if its type has no message, and with
 * `NOT_FOUND` if the index lacks the manager's chain or the creation of the removed validation.
 */
export async function requestOfTransaction(transaction: PTransaction, index: PChainIndex): Promise<SigningRequest> {
  const derived = deriveMessage(transaction);
  if (!derived) throw new Failure("INVALID_PARAMETER", reasonAgainst(transaction));
  const { unsignedBytes, verifyingChainId, removedValidationId } = derived;
  const [justification, signingSubnetId] = await Promise.all([
    removedValidationId === null ? derived.justification : removalJustification(removedValidationId, index),
    signingSubnet(verifyingChainId, index),
  ]);
  return { unsignedBytes, justification: justification ?? new Uint8Array(), signingSubnetId };
}

/**
 * What validators are asked to sign if a caller gives a justification without a message (E1): the message of the P-Chain that it
 * justifies. Fails with `NOT_FOUND` if the index does not have the subnet's conversion or the manager's chain.
 */
export async function requestOfJustification(
  { networkId, justification }: { readonly networkId: number; readonly justification: Justification },
  index: PChainIndex,
): Promise<SigningRequest> {
  const subnetId = subnetOf(justification);
  const conversion = await index.conversionOfSubnet(subnetId);
  if (!conversion) throw new Failure("NOT_FOUND", `subnet ${formatId(subnetId)} of the justification is not an L1`);
  const l1Message =
    justification.type === "subnet"
      ? ({ type: "SubnetToL1Conversion", conversionId: conversionIdOf(conversionDataOf(conversion)) } as const)
      : ({ type: "L1ValidatorRegistration", validationId: validationIdOf(justification), registered: false } as const);
  return {
    unsignedBytes: pChainMessage(networkId, l1Message),
    justification: encodeJustification(justification),
    signingSubnetId: await signingSubnet(conversion.chainId, index),
  };
}

function subnetOf(justification: Justification): string {
  if (justification.type !== "registration") return justification.subnetId;
  const message = parseL1Message(justification.message);
  if (message.type !== "RegisterL1Validator") throw new MalformedMessage(`${message.type} registers no validator`);
  return message.subnetId;
}

async function removalJustification(validationId: string, index: PChainIndex): Promise<Uint8Array> {
  const transaction = await index.transactionOfValidation(validationId);
  const origin = transaction && originIn(transaction, validationId);
  if (!origin)
    throw new Failure("NOT_FOUND", `the transaction that created validation ${formatId(validationId)} is not indexed`);
  return encodeJustification(origin);
}

async function signingSubnet(chainId: string, index: PChainIndex): Promise<string> {
  const subnetId = await index.subnetOfChain(chainId);
  if (subnetId === null)
    throw new Failure(
      "NOT_FOUND",
      `chain ${formatId(chainId)} of the validator manager is not a chain of this network`,
    );
  return subnetId;
}

/** Why there is no message about a transaction (id in hex). */
export function reasonAgainst({ id, txType }: { readonly id: string; readonly txType: string }): string {
  const reason = WITHOUT_MESSAGE.get(txType) ?? "it changes no L1 validator";
  return `transaction ${formatId(id)} has the type ${txType}, which has no message to sign: ${reason}`;
}
