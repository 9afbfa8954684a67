import type { Page } from "../../../core/graph/connection-page.ts";
import { nullIfIndexed, unindexedChain } from "../chains/require-indexed.ts";
import type { EvmContext } from "../context.ts";
import type { AddressLists } from "./address-lists.ts";
import type { AddressTransfersArgs, BlockRangeArgs } from "./args.ts";
import { directionOf } from "./filters.ts";
import { rangeOf } from "./range.ts";
import type { RangedList } from "./ranged-lists.ts";
import type { ListedChains } from "./unindexed-chains.ts";

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

/**
 * Returns a page of a list over several chains that is not read chain by chain. Throws `UNAVAILABLE` if no block of a chain is indexed that a
 * filter names, or if the page is empty and no block of any chain is indexed. Sends one statement, unless no filter names chains and the page has items.
 */
export async function pageOfListed<Item>(
  { chainIds, areNamed }: ListedChains,
  list: Promise<Page<Item>>,
  { load }: Pick<EvmContext, "load">,
): Promise<Page<Item>> {
  const page = await list;
  if (!areNamed && page.nodes.length > 0) return page;
  const found = await Promise.all(chainIds.map((chainId) => load.unindexedChain({ chainId })));
  const [first, ...others] = found.filter((chain) => chain !== null);
  if (first && (areNamed || others.length + 1 === chainIds.length)) throw unindexedChain(first);
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
