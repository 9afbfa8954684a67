import { Failure } from "../../../core/errors/errors.ts";
import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { AT, type IndexedBlock, requireSelected } from "../../shared/rows/selected-block.ts";
import type { Moment } from "../../shared/schema/state-at.ts";
import type { PrimaryContext } from "../context.ts";

const LAST: Moment = { block: null, time: null };

/**
 * The block of a chain that a moment selects; null selects the last indexed block. Blocks that are selected in one tick are one statement
 * for each network. Throws `INVALID_PARAMETER` for a block that is not indexed, and `UNAVAILABLE` if no block of the chain is indexed.
 */
export async function blockAt(
  networkId: string,
  chain: PrimaryChain,
  moment: Moment | null,
  { load }: Pick<PrimaryContext, "load">,
): Promise<IndexedBlock> {
  const found = await load.primaryBlockAt({ networkId, chain, ...(moment ?? LAST) });
  if (!found) throw new Failure("UNAVAILABLE", `${PRIMARY_CHAIN_ALIASES[chain]} has no indexed block`);
  return requireSelected(found, moment ?? LAST, AT);
}
