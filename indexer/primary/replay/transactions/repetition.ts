import type { Batch, ChainPosition } from "../store/batch.ts";

/** A replay to which transactions are added. */
interface TransactionReplay {
  readonly batch: Batch;
  txSeq: number;
}

/**
 * Adds a block's repetition of a transaction that has its row in another place. The block lists the transaction, and nothing else changes.
 * Returns the `tx_seq` of the repetition.
 */
export function addRepetition(
  replay: TransactionReplay,
  txId: string,
  { chain, blockNumber, blockHash, timestamp }: ChainPosition,
): number {
  const txSeq = replay.txSeq++;
  replay.batch.add("primary_repeated_transactions", {
    chain,
    block_number: blockNumber ?? 0,
    block_hash: blockHash ?? "",
    tx_seq: txSeq,
    tx_hash: txId,
    block_timestamp: timestamp,
  });
  return txSeq;
}
