import type { Page } from "../../../core/graph/connection-page.ts";
import { nullIfIndexed } from "../chains/require-indexed.ts";
import type { EvmContext } from "../context.ts";
import type { AddressLists } from "./address-lists.ts";
import type { AddressTransfersArgs, BlockRangeArgs } from "./args.ts";
import { directionOf } from "./filters.ts";
import { rangeOf } from "./range.ts";
import type { RangedList } from "./ranged-lists.ts";

/** The key of a list without its range: the chain id, and what the list is of. */
type ListKey = readonly [chainId: string, ...others: string[]];

/** Returns a page of a list of a chain. Throws `UNAVAILABLE` if the page is empty and no block of the chain is indexed. */
export async function pageOfIndexed<Item>(
  chainId: string,
  list: Promise<Page<Item>>,
  context: Pick<EvmContext, "load">,
): Promise<Page<Item>> {
  const page = await list;
  if (page.nodes.length === 0) await nullIfIndexed(chainId, context);
  return page;
}

/** Reads a page of a chain's list in the range of blocks and times of its filter. Throws `UNAVAILABLE` like `pageOfIndexed`. */
export function pageInRange<Item>(
  key: ListKey,
  list: RangedList<Item>,
  args: BlockRangeArgs,
  context: Pick<EvmContext, "load">,
): Promise<Page<Item>> {
  const [chainId] = key;
  return pageOfIndexed(chainId, list.ofChain([...key, ...rangeOf(args.filter ?? {})], args), context);
}

/** Reads a page of what an address sent or received on a chain, as the filter says. `key` ends with the address. Throws like `pageOfIndexed`. */
export function pageOfAddress<Item>(
  key: ListKey,
  lists: AddressLists<Item>,
  args: AddressTransfersArgs,
  context: Pick<EvmContext, "load">,
): Promise<Page<Item>> {
  return pageInRange(key, lists[directionOf(args.filter ?? {})], args, context);
}
