import { blockAt } from "../chains/block-at.ts";
import { requireIndexedBlock } from "../chains/indexed-block.ts";
import { requireIndexed } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import type { Supply, SupplyKey } from "./store.ts";
import type { StateAtArgs } from "./types.ts";

export interface SupplyAt extends Supply {
  /** Hash of the block after which the token has this supply. */
  readonly blockHash: string;
}

/**
 * Reads the holders and supply of a token after a block. Throws `INVALID_PARAMETER` if the block is not indexed, and `UNAVAILABLE`
 * if the chain is not indexed.
 */
export async function supplyAt(
  load: (key: SupplyKey) => Promise<Supply | null>,
  { chainId, address, tokenId = null }: Pick<SupplyKey, "chainId" | "address"> & Partial<Pick<SupplyKey, "tokenId">>,
  { at }: StateAtArgs,
  context: MetricsContext,
): Promise<SupplyAt> {
  const block = await blockAt(chainId, at, context);
  const blockNumber = block?.blockNumber ?? null;
  const found = await load({ chainId, address, tokenId, blockNumber });
  const supply = await requireIndexed(chainId, found, context, `chain ${chainId}`);
  requireIndexedBlock(blockNumber, supply.head);
  return { ...supply, blockHash: block?.blockHash ?? supply.headHash };
}
