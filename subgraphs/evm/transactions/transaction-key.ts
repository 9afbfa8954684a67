import type { EvmTransaction } from "./types.ts";

/** A transaction as the lists below it name it: its place in the chain. */
export function transactionKey(
  place: Pick<EvmTransaction, "chainId" | "blockNumber" | "blockIndex">,
): readonly string[] {
  return [place.chainId, place.blockNumber, String(place.blockIndex)];
}
