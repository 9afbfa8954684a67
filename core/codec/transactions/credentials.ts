import { sha256, utxoId } from "../bytes/hashes.ts";
import type { AtomicTransaction } from "./atomic-transactions.ts";
import type { PTransaction } from "./p-transactions.ts";
import { VERSION } from "./signed.ts";
import type { XTransaction, XTransactionOf } from "./x-transactions.ts";

/** A transaction of any of the three chains, signed. */
export type AnyTransaction = PTransaction | XTransaction | AtomicTransaction;

/** Who signed for one output, and how. */
export interface InputCredential {
  /** Places of the signers among the output's owners. */
  readonly signatureIndices: readonly number[];
  /** Theirs, one for one: r, s and the recovery id, 65 bytes in hex. */
  readonly signatures: readonly string[];
}

/** 4-byte numbers: of a list its count, of a credential its type id and the count of its signatures. */
const COUNT_BYTES = 4;
const CREDENTIAL_BYTES = 8;
const SIGNATURE_BYTES = 65;

/** What the signatures of a transaction sign: SHA-256 of its bytes as far as the credentials, in hex. */
export function signedHash({ bytes, credentials }: Pick<AnyTransaction, "bytes" | "credentials">): string {
  const size = credentials.reduce(
    (sum, { signatures }) => sum + CREDENTIAL_BYTES + signatures.length * SIGNATURE_BYTES,
    COUNT_BYTES,
  );
  return sha256(VERSION, bytes.subarray(0, bytes.byteLength - size));
}

/**
 * The credentials of a transaction's inputs by the id of the output that they spend. They stand in the order of the inputs,
 * of the imported ones behind the others, and of an OperationTx those of the operations behind all; an authorization comes last.
 */
export function credentialsByUtxo(tx: AnyTransaction): Map<string, InputCredential> {
  const found = new Map<string, InputCredential>();
  const signers = [...inputsOf(tx), ...("operations" in tx ? tx.operations.map(operated) : [])];
  for (const [index, { spent, signatureIndices }] of signers.entries()) {
    const signatures = tx.credentials[index]?.signatures ?? [];
    for (const { txId, outputIndex } of spent) found.set(utxoId(txId, outputIndex), { signatureIndices, signatures });
  }
  return found;
}

/** Signatures for the accounts that an export of the C-Chain takes from, in the order of its `evmInputs`: one for each. */
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

/** One credential is for all outputs that an operation spends. */
function operated({ inputIds, operation }: Operation): SignedInput {
  if ("mintInput" in operation) return { spent: inputIds, signatureIndices: operation.mintInput.signatureIndices };
  const { signatureIndices } = "input" in operation ? operation.input : operation;
  return { spent: inputIds, signatureIndices };
}
