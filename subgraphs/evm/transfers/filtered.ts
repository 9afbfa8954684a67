import type { Page } from "../../../core/graph/connection-page.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { findChainId } from "../chains/chain-id.ts";
import type { EvmContext } from "../context.ts";
import type { AddressLists } from "../ranged-lists/address-lists.ts";
import { pageOfAddress } from "../ranged-lists/page-in-range.ts";
import type { TransfersArgs } from "./types.ts";

/** True if a filter has only blocks. These pages are those of REST, whose statements have no more than they need. */
export const hasOnlyBlocks = ({ filter }: TransfersArgs): boolean =>
  !filter || [filter.direction, filter.fromTime, filter.toTime].every((value) => (value ?? null) === null);

/** Reads a page of the transfers of an address with any filter. Throws `NOT_FOUND` for an unknown chain, and like `pageOfAddress`. */
export async function filteredTransfers<Item>(
  args: TransfersArgs,
  lists: AddressLists<Item>,
  context: EvmContext,
): Promise<Page<Item>> {
  return pageOfAddress([findChainId(args.chainId, context), bytea(args.address)], lists, args, context);
}
