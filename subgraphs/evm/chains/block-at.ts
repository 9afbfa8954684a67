import { AT, type IndexedBlock, requireSelected } from "../../shared/rows/selected-block.ts";
import { momentOf, type StateAt } from "../../shared/schema/state-at.ts";
import type { EvmContext } from "../context.ts";
import { requireBlock } from "./heads.ts";
import { nullIfIndexed } from "./require-indexed.ts";

/**
 * The block that `at` selects; null without `at`. Blocks that are selected in one tick are one statement for each chain. Throws
 * `INVALID_PARAMETER` for a block that is not indexed, and `UNAVAILABLE` if no block of the chain is indexed.
 */
export async function blockAt(
  chainId: string,
  at: StateAt | null | undefined,
  context: Pick<EvmContext, "load">,
): Promise<IndexedBlock | null> {
  const moment = momentOf(at);
  if (moment === null) return null;
  const found = (await context.load.evmBlockAt({ chainId, ...moment })) ?? (await nullIfIndexed(chainId, context));
  return requireSelected(requireBlock(chainId, found), moment, AT);
}
