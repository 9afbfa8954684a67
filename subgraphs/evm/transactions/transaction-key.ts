import type { EvmTransaction } from "./types.ts";

type Position = Pick<EvmTransaction, "chainId" | "blockNumber" | "blockIndex">;

/** Key of a transaction as the parent of nested lists: its chain id, block number and index in the block. */
export function transactionKey({ chainId, blockNumber, blockIndex }: Position): readonly string[] {
  return [chainId, blockNumber, String(blockIndex)];
}
