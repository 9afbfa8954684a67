import type { BlockTraces, TraceFailure } from "./call-trees.ts";

/** A member that nodes may leave out or give as null, which mean the same. */
export type Optional = string | null;

/** The used fields of a block from `eth_getBlockByNumber` with transactions. Values are the node's text, unchecked. */
export interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly timestampMilliseconds?: Optional;
  readonly minDelayExcess?: Optional;
  readonly baseFeePerGas?: Optional;
  readonly blockGasCost?: Optional;
  readonly gasUsed: string;
  readonly gasLimit: string;
  readonly stateRoot: string;
  readonly receiptsRoot: string;
  readonly logsBloom: string;
  readonly miner: string;
  /** C-Chain only: the atomic transactions as bytes, and keccak256 of their RLP. */
  readonly blockExtraData?: Optional;
  readonly extDataHash?: Optional;
  /** Since Helicon (ACP-194): the last block that this block settles. The header's receipts root and bloom cover the settled blocks. */
  readonly settledHeight?: Optional;
  readonly size: string;
  readonly transactions: readonly WireTransaction[];
}

/** What more than its row needs of a transaction. */
export interface WireTransaction {
  readonly blockHash?: Optional;
  readonly hash: string;
  readonly transactionIndex?: Optional;
  readonly from: string;
  /** Absent for the creation of a contract. */
  readonly to?: Optional;
  readonly value: string;
  readonly gasPrice?: Optional;
}

export interface WireReceipt {
  readonly blockHash?: Optional;
  readonly transactionHash: string;
  readonly transactionIndex?: Optional;
  readonly status: string;
  readonly gasUsed: string;
  readonly cumulativeGasUsed: string;
  readonly effectiveGasPrice?: Optional;
  /** Some nodes also give it for calls: it counts only if the transaction has no `to`. */
  readonly contractAddress?: Optional;
  readonly logsBloom?: Optional;
  readonly logs: readonly WireLog[];
}

export interface WireLog {
  readonly blockHash?: Optional;
  readonly transactionHash?: Optional;
  readonly transactionIndex?: Optional;
  readonly logIndex: string;
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly removed?: boolean | null;
}

/** A block with its receipts, which passed `verifyBlock`. */
export interface RawBlock {
  readonly block: WireBlock;
  readonly receipts: readonly WireReceipt[];
  /** Null if the call trees are not known. */
  readonly traces: BlockTraces | null;
  /** Why the call trees are not known, if they were requested. */
  readonly traceFailure?: TraceFailure;
}
