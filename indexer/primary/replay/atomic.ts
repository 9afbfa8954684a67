import type { AtomicTransaction } from "../../../core/formats/codec/transactions/atomic-transactions.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { Batch, ChainPosition } from "./store/batch.ts";
import type { IndexedPlace, IndexedTransactions } from "./store/repeated-transactions.ts";
import { addRepetition } from "./transactions/repetition.ts";
import { transactionRow } from "./transactions/transaction-row.ts";
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
  /** Transactions that have rows. */
  readonly indexed: IndexedTransactions;
  /** `tx_seq` of the chain's next atomic transaction. */
  txSeq: number;
}

/** Adds the rows of a block's atomic transactions to the batch. */
export function applyAtomicBlock(
  replay: AtomicReplay,
  { number, hash, timestamp }: AtomicBlock,
  transactions: readonly AtomicTransaction[],
): void {
  const position: ChainPosition = { chain: "C", blockNumber: number, blockHash: hash, vertexIndex: null, timestamp };
  for (const tx of transactions) {
    const indexed = replay.indexed.get(tx.id);
    if (indexed) repeat(replay, tx, position, indexed);
    else applyTransaction(replay, tx, position);
  }
}

/** A bonus block does not touch atomic memory: its transactions consume and create no outputs. */
const isBonus = ({ bonusBlocks }: NetworkFacts, { blockHash }: IndexedPlace): boolean =>
  blockHash !== null && bonusBlocks.has(blockHash);

function applyTransaction(replay: AtomicReplay, tx: AtomicTransaction, position: ChainPosition): void {
  const { batch, network } = replay;
  const txSeq = replay.txSeq++;
  const consuming = isBonus(network, position) ? null : batch;
  const changes = applyUtxoChanges({ batch: consuming, network, position, txSeq }, tx, null);
  const columns = columnsOfAtomicTransaction(tx);
  const row = transactionRow(position, txSeq, tx, changes, columns, network.avaxAssetId);
  batch.add("primary_transactions", row);
  replay.indexed.set(tx.id, position);
  batch.list(changes.addresses, row);
}

/** A transaction of a bonus block that an ordinary block contains as well has its row, and its outputs, in the ordinary block. */
function repeat(replay: AtomicReplay, tx: AtomicTransaction, position: ChainPosition, indexed: IndexedPlace): void {
  const { batch, network } = replay;
  const txSeq = addRepetition(replay, tx.id, position);
  if (isBonus(network, position) || !isBonus(network, indexed)) return;
  applyUtxoChanges({ batch, network, position, txSeq }, tx, null);
  batch.moved.push(txSeq);
  replay.indexed.set(tx.id, position);
}
