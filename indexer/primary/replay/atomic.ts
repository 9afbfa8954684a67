import type { AtomicTransaction } from "../../../core/codec/transactions/atomic-transactions.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { Batch, ChainPosition } from "./store/batch.ts";
import { listForAddresses, transactionRow } from "./transactions/transaction-row.ts";
import { columnsOfAtomicTransaction } from "./transactions/type-columns.ts";
import { applyUtxoChanges } from "./transactions/utxo-changes.ts";

/** A block of the C-Chain with its atomic transactions in bytes. */
export interface AtomicBlock {
  readonly number: number;
  /** In hex without `0x`. */
  readonly hash: string;
  /** In seconds. */
  readonly timestamp: number;
  readonly extData: Uint8Array;
}

/** State and batch to which the rows of C-Chain atomic transactions are added. */
export interface AtomicReplay {
  readonly batch: Batch;
  readonly network: NetworkFacts;
  /** `tx_seq` of the chain's next atomic transaction. */
  txSeq: number;
}

/** Adds the rows of a block's atomic transactions to the batch. */
export function applyAtomicBlock(
  replay: AtomicReplay,
  { number, hash, timestamp }: AtomicBlock,
  transactions: readonly AtomicTransaction[],
): void {
  const { batch, network } = replay;
  const position: ChainPosition = { chain: "C", blockNumber: number, blockHash: hash, vertexIndex: null, timestamp };
  for (const tx of transactions) {
    const changes = applyUtxoChanges({ batch, network, position }, tx, null);
    const columns = columnsOfAtomicTransaction(tx);
    const row = transactionRow(position, replay.txSeq++, tx, changes, columns, network.avaxAssetId);
    batch.add("primary_transactions", row);
    listForAddresses(batch, changes.addresses, row);
  }
}
