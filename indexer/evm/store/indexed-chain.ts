import type { IndexedChain } from "../../shared/several-nodes/contradictions.ts";
import type { Writer } from "../../shared/writer.ts";
import { indexedBlock, loadHead } from "./head.ts";

export function indexedChain({ transaction }: Pick<Writer, "transaction">, chainId: string): IndexedChain {
  return {
    head: async () => (await transaction((session) => loadHead(session, chainId))).blockNumber,
    hash: async (number) => (await transaction((session) => indexedBlock(session, chainId, number)))?.hash ?? null,
  };
}
