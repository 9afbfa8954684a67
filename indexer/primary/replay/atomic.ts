import type { AtomicTransaction } from "../../../core/codec/transactions/atomic-transactions.ts";
import type { NetworkFacts } from "../network/network.ts";
import type { Batch, Place } from "./store/batch.ts";
import { describeAtomicTransaction, listUnder, transactionRow } from "./transactions/transaction-row.ts";
import { move } from "./transactions/utxo-changes.ts";

/** A block of the C-Chain with what it carries of atomic transactions. */
export interface AtomicBlock {
  readonly number: number;
  /** Hex without `0x`, as everywhere. */
  readonly hash: string;
  /** Seconds. */
  readonly timestamp: number;
  readonly extData: Uint8Array;
}

/** Where the rows of C-Chain atomic transactions go. */
export interface AtomicReplay {
  readonly batch: Batch;
  readonly network: NetworkFacts;
  /** Number of the chain's next atomic transaction. */
  txSeq: number;
}

/** Applies a block's atomic transactions. */
export function applyAtomicBlock(
  replay: AtomicReplay,
  { number, hash, timestamp }: AtomicBlock,
  transactions: readonly AtomicTransaction[],
): void {
  const { batch, network } = replay;
  const place: Place = { chain: "C", blockNumber: number, blockHash: hash, vertexIndex: null, timestamp };
  for (const tx of transactions) {
    const moves = move({ batch, network, place }, tx, null);
    const described = describeAtomicTransaction(tx);
    const row = transactionRow(place, replay.txSeq++, tx, moves, described, network.avaxAssetId);
    batch.add("primary_transactions", row);
    listUnder(batch, moves.addresses, row);
  }
}
