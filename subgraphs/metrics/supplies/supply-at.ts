import { requireIndexedBlock } from "../chains/indexed-block.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import type { Supply, SupplyKey } from "./store.ts";
import type { AtBlockArgs } from "./types.ts";

/**
 * Reads the holders and supply of a token after a block. Throws `INVALID_PARAMETER` if the block is not indexed, and `UNAVAILABLE`
 * if the chain is not indexed.
 */
export async function supplyAt(
  load: (key: SupplyKey) => Promise<Supply | null>,
  { chainId, address }: { readonly chainId: string; readonly address: string },
  { blockNumber = null }: AtBlockArgs,
  context: MetricsContext,
): Promise<Supply> {
  const found = await load({ chainId, address, blockNumber });
  const supply = await requireIndexed(chainId, found, context, `chain ${chainId}`);
  requireIndexedBlock(blockNumber, supply.head);
  return supply;
}
