import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { indexedBlock } from "../store/head.ts";
import { catchUp } from "./catch-up.ts";
import type { Chain, ChainDeps } from "./chain.ts";
import { openChain } from "./index-chain.ts";

/** The blocks that were new, both inclusive; none if `from` is above `to`. */
interface ImportedBlocks {
  readonly from: number;
  readonly to: number;
}

/**
 * Indexes blocks of a source once: those after the last indexed one, up to `last`. Rejects with `BadUpstreamData` if a block is bad, or if the
 * source is not on the indexed branch: unlike a node, it never rolls back the blocks that were indexed before.
 */
export async function importBlocks(deps: ChainDeps, last: number): Promise<ImportedBlocks> {
  const chain = await openChain(deps);
  const from = chain.head.blockNumber + 1;
  await requireSameBranch(chain, Math.min(chain.head.blockNumber, last));
  if (from <= last && !(await catchUp(chain, last)))
    throw new BadUpstreamData(`block ${chain.head.blockNumber + 1} is on another branch than the block before it`);
  return { from, to: chain.head.blockNumber };
}

async function requireSameBranch({ writer, chainId, source }: Chain, number: number): Promise<void> {
  if (number < 0) return;
  const indexed = await writer.transaction((session) => indexedBlock(session, chainId, number));
  const ref = await source.blockRef(number);
  if (indexed?.hash === ref?.hash) return;
  throw new BadUpstreamData(
    ref
      ? `block ${number} is 0x${ref.hash}, but 0x${indexed?.hash} is indexed`
      : `block ${number}, which is the last indexed one, is missing`,
  );
}
