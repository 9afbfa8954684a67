import { sha256, utxoId } from "../bytes/hashes.ts";
import type { AtomicTransaction } from "./atomic-transactions.ts";
import { VERSION } from "./encoding.ts";
import type { PTransaction } from "./p-transactions.ts";
import type { XTransaction, XTransactionOf } from "./x-transactions.ts";

/** A signed transaction of any of the three chains. */
export type AnyTransaction = PTransaction | XTransaction | AtomicTransaction;

/** The signatures that spend one output. */
export interface InputCredential {
  /** Indexes of the signers in the output's list of owners. */
  readonly signatureIndices: readonly number[];
  /** One per index: r, s and the recovery id, 65 bytes in hex. */
  readonly signatures: readonly string[];
}

/** Encoded sizes: a list's count; a credential's type id and count of signatures; a signature. */
const COUNT_BYTES = 4;
const CREDENTIAL_BYTES = 8;
const SIGNATURE_BYTES = 65;

/** The hash that a transaction's signatures sign, in hex: SHA-256 of its bytes without the credentials. */
export function signedHash({ bytes, credentials }: Pick<AnyTransaction, "bytes" | "credentials">): string {
  const size = credentials.reduce(
    (sum, { signatures }) => sum + CREDENTIAL_BYTES + signatures.length * SIGNATURE_BYTES,
    COUNT_BYTES,
  );
  return sha256(VERSION, bytes.subarray(0, bytes.byteLength - size));
}

/**
 * The credentials of a transaction's inputs, by the id of the spent output. Credentials are in the order of the inputs, then the
 * imported inputs, then the operations of an OperationTx, then an authorization.
 */
export function credentialsByUtxo(tx: AnyTransaction): Map<string, InputCredential> {
  const found = new Map<string, InputCredential>();
  const signers = [...inputsOf(tx), ...("operations" in tx ? tx.operations.map(operationInput) : [])];
  for (const [index, { spent, signatureIndices }] of signers.entries()) {
    const signatures = tx.credentials[index]?.signatures ?? [];
    for (const { txId, outputIndex } of spent) found.set(utxoId(txId, outputIndex), { signatureIndices, signatures });
  }
  return found;
}

/** The signatures of the accounts that a C-Chain export debits, one list per element of `evmInputs`; empty for other types. */
export function accountSignatures(tx: AnyTransaction): readonly (readonly string[])[] {
  return "evmInputs" in tx ? tx.credentials.map(({ signatures }) => signatures) : [];
}

interface SignedInput {
  readonly spent: readonly { readonly txId: string; readonly outputIndex: number }[];
  readonly signatureIndices: readonly number[];
}

function inputsOf(tx: AnyTransaction): SignedInput[] {
  const inputs = [...("inputs" in tx ? tx.inputs : []), ...("importedInputs" in tx ? tx.importedInputs : [])];
  return inputs.map(({ txId, outputIndex, input }) => ({
    spent: [{ txId, outputIndex }],
    signatureIndices: "input" in input ? input.input.signatureIndices : input.signatureIndices,
  }));
}

type Operation = XTransactionOf<"OperationTx">["operations"][number];

/** An operation has one credential for all outputs that it spends. */
function operationInput({ inputIds, operation }: Operation): SignedInput {
  if ("mintInput" in operation) return { spent: inputIds, signatureIndices: operation.mintInput.signatureIndices };
  const { signatureIndices } = "input" in operation ? operation.input : operation;
  return { spent: inputIds, signatureIndices };
}
