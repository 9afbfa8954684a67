import { decode, type Layout, versions } from "../../../core/formats/codec/bytes/layout.ts";
import {
  type AtomicTransaction,
  decodeAtomicTransactions,
} from "../../../core/formats/codec/transactions/atomic-transactions.ts";
import { type PTransaction, pTransaction } from "../../../core/formats/codec/transactions/p-transactions.ts";
import { versionedXTransaction, type XTransaction } from "../../../core/formats/codec/transactions/x-transactions.ts";

const versionedPTransaction: Layout<PTransaction> = versions({ 0: pTransaction });

/** Decodes a signed transaction as `platform.getTx` returns it. */
export function decodePTransaction(bytes: Uint8Array): PTransaction {
  return decode(versionedPTransaction, bytes, "P-Chain transaction");
}

/** Decodes a signed transaction as `avm.getTx` and the transaction index return it. */
export function decodeXTransaction(bytes: Uint8Array): XTransaction {
  return decode(versionedXTransaction, bytes, "X-Chain transaction");
}

/** Decodes a signed transaction as `avax.getAtomicTx` returns it. */
export function decodeAtomicTransaction(bytes: Uint8Array): AtomicTransaction {
  return decodeAtomicTransactions(bytes)[0] as AtomicTransaction;
}
