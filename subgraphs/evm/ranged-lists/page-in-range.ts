import type { Page } from "../../../core/graph/connection-page.ts";
import { findChainId } from "../chains/chain-id.ts";
import { nullIfIndexed } from "../chains/require-indexed.ts";
import type { EvmContext } from "../context.ts";
import type { BlockRangeArgs } from "./args.ts";
import { rangeOf } from "./range.ts";
import type { RangedList } from "./ranged-lists.ts";

/**
 * Reads a page of a chain's list in a range of blocks and times. Throws `NOT_FOUND` for an unknown chain, and `UNAVAILABLE` if no block of the
 * chain is indexed.
 */
export async function pageInRange<Item>(
  args: BlockRangeArgs & { readonly chainId: string },
  list: RangedList<Item>,
  context: EvmContext,
): Promise<Page<Item>> {
  const chainId = findChainId(args.chainId, context);
  const page = await list.ofChain([chainId, ...rangeOf(args.filter ?? {})], args);
  if (page.nodes.length === 0) await nullIfIndexed(chainId, context);
  return page;
}
