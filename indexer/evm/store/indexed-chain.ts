import type { Writer } from "../../shared/writer.ts";
import { indexedBlock, loadHead } from "./head.ts";

/** Reads number and hashes of the indexed blocks of a chain. Hashes are hex without `0x`. */
export interface IndexedChain {
  /** Number of the last indexed block; -1 before the first. */
  head(): Promise<number>;
  /** Null if the block is not indexed. */
  hash(number: number): Promise<string | null>;
}

export function indexedChain({ transaction }: Pick<Writer, "transaction">, chainId: string): IndexedChain {
  return {
    head: async () => (await transaction((session) => loadHead(session, chainId))).blockNumber,
    hash: async (number) => (await transaction((session) => indexedBlock(session, chainId, number)))?.hash ?? null,
  };
}
