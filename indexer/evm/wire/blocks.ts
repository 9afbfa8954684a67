import type { BlockTraces } from "./call-trees.ts";

/** The used fields of a block from `eth_getBlockByNumber` with transactions. Values are the node's text, unchecked. */
export interface WireBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly timestampMilliseconds?: string;
  readonly minDelayExcess?: string;
  readonly baseFeePerGas?: string;
  readonly blockGasCost?: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
  readonly stateRoot: string;
  readonly receiptsRoot: string;
  readonly logsBloom: string;
  readonly miner: string;
  /** C-Chain only: the atomic transactions as bytes, and keccak256 of their RLP. */
  readonly blockExtraData?: string;
  readonly extDataHash?: string;
  /** Since Helicon (ACP-194): the last block that this block settles. The header's receipts root and bloom cover the settled blocks. */
  readonly settledHeight?: string;
  readonly size: string;
  readonly transactions: readonly WireTransaction[];
}

export interface WireTransaction {
  readonly blockHash: string;
  readonly hash: string;
  readonly transactionIndex: string;
  readonly from: string;
  readonly to: string | null;
  readonly type?: string;
  readonly nonce: string;
  readonly value: string;
  readonly gas: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly input: string;
}

export interface WireReceipt {
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly status?: string;
  readonly gasUsed: string;
  readonly cumulativeGasUsed: string;
  readonly effectiveGasPrice?: string;
  readonly contractAddress: string | null;
  readonly logsBloom?: string;
  readonly logs: readonly WireLog[];
}

export interface WireLog {
  readonly blockHash: string;
  readonly transactionHash: string;
  readonly transactionIndex: string;
  readonly logIndex: string;
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly removed?: boolean;
}

/** A block with its receipts, which passed `verifyBlock`. */
export interface RawBlock {
  readonly block: WireBlock;
  readonly receipts: readonly WireReceipt[];
  /** Null if the call trees are not known. */
  readonly traces: BlockTraces | null;
}
