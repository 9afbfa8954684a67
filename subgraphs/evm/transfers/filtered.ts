import type { Page } from "../../../core/graph/connection-page.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { findChainId } from "../chains/chain-id.ts";
import { nullIfIndexed } from "../chains/require-indexed.ts";
import type { EvmContext } from "../context.ts";
import type { AddressLists } from "../ranged-lists/address-lists.ts";
import { directionOf } from "../ranged-lists/filters.ts";
import { rangeOf } from "../ranged-lists/range.ts";
import type { TransfersArgs } from "./types.ts";

/** True if a filter has only blocks. These pages are those of REST, whose statements have no more than they need. */
export const hasOnlyBlocks = ({ filter }: TransfersArgs): boolean =>
  !filter || [filter.direction, filter.fromTime, filter.toTime].every((value) => (value ?? null) === null);

/** Reads a page of the transfers of an address with any filter. Throws `UNAVAILABLE` if no block of the chain is indexed. */
export async function filteredTransfers<Item>(
  args: TransfersArgs,
  lists: AddressLists<Item>,
  context: EvmContext,
): Promise<Page<Item>> {
  const chainId = findChainId(args.chainId, context);
  const filter = args.filter ?? {};
  const page = await lists[directionOf(filter)].ofChain([chainId, bytea(args.address), ...rangeOf(filter)], args);
  if (page.nodes.length === 0) await nullIfIndexed(chainId, context);
  return page;
}
