import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { counterOf } from "../../../core/observability/registry.ts";
import type { Writer } from "../../shared/writer.ts";
import { type BlockRef, type EvmSource } from "../fetch/source.ts";
import { appendEntries } from "../raw-blocks/entries.ts";
import { type Head, indexedBlock, loadHead } from "../store/head.ts";
import { deleteContractAnswers, rollBack } from "../store/roll-back.ts";
import { cutTraceRetries } from "../traces/trace-retries.ts";

export interface ReorganiseDeps {
  readonly writer: Writer;
  readonly chainId: string;
  readonly source: Pick<EvmSource, "blockRef">;
  readonly head: Head;
}

/**
 * Rolls back to the last block that rows and node have in common, and returns the new head. `from` is the highest block that
 * may be common. Throws `BadUpstreamData` if no block is common. If block `from` is common, throws `BadUpstreamData` with the
 * message `contradiction`.
 */
export async function reorganise(deps: ReorganiseDeps, from: number, contradiction: string): Promise<Head> {
  const ancestor = await findAncestor(deps, from);
  if (ancestor.number === from) throw new BadUpstreamData(contradiction);
  return rollBackTo(deps, ancestor);
}

/** Rolls back every block above an indexed one, and returns the new head. */
export async function rollBackTo(
  { writer, chainId, head }: Pick<ReorganiseDeps, "writer" | "chainId" | "head">,
  { number, hash, parentHash }: Pick<BlockRef, "number" | "hash" | "parentHash">,
): Promise<Head> {
  const entry = { seq: head.rawSeq + 1, blockNumber: number, blockHash: hash, parentHash, payload: null };
  const restored = await writer.transaction(async (session) => {
    await appendEntries(session, chainId, [entry]);
    await deleteContractAnswers(session, chainId, number);
    await cutTraceRetries(session, chainId, number);
    await rollBack(session, chainId, entry);
    return loadHead(session, chainId);
  });
  counterOf("indexerReorganisations", { chain: chainId }).add();
  return restored;
}

/** Exponential search downwards for a common block, then binary search: all blocks below a common block are common. */
async function findAncestor(deps: ReorganiseDeps, from: number): Promise<BlockRef> {
  let different = from + 1;
  let common: BlockRef | null = null;
  for (let stride = 1; !common; stride *= 2) {
    const number = Math.max(0, different - stride);
    common = await commonBlock(deps, number);
    if (common) break;
    if (number === 0)
      throw new BadUpstreamData(
        "the node has none of the indexed blocks: set nodeUrl of the chain to a node of the indexed chain, or use another database",
      );
    different = number;
  }
  while (different - common.number > 1) {
    const middle = Math.floor((common.number + different) / 2);
    const ref = await commonBlock(deps, middle);
    if (ref) common = ref;
    else different = middle;
  }
  return common;
}

/** The block at a height below both heads if node and rows have the same one; else null. */
async function commonBlock({ writer, chainId, source }: ReorganiseDeps, number: number): Promise<BlockRef | null> {
  const indexed = await writer.transaction((session) => indexedBlock(session, chainId, number));
  const ref = await source.blockRef(number);
  // If this counted as a difference, correct blocks would be rolled back.
  if (!ref)
    throw new BadUpstreamData(
      `the node has no block ${number}, which is below its head: use a node that keeps all blocks`,
    );
  return indexed?.hash === ref.hash ? ref : null;
}
