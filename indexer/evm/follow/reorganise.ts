import { BadUpstreamData } from "../../../core/errors.ts";
import type { Writer } from "../../shared/writer.ts";
import type { BlockRef, EvmSource } from "../fetch/source.ts";
import { forgetNftMetadata } from "../nft/store.ts";
import { appendEntries } from "../raw-store/journal.ts";
import { forgetTokenAnswers, type Head, indexedBlock, loadHead, rollBack } from "../store/tables.ts";

export interface ReorganiseDeps {
  readonly writer: Writer;
  readonly chainId: string;
  readonly source: Pick<EvmSource, "blockRef">;
  readonly head: Head;
}

/**
 * Rolls back to the last block that the node has too, and returns the head there. `from` is the highest block where they
 * may agree; `contradiction` is what it means when they do agree there. Throws `BadUpstreamData` when the node shares no
 * block with the rows, or contradicts itself.
 */
export async function reorganise(deps: ReorganiseDeps, from: number, contradiction: string): Promise<Head> {
  const ancestor = await findAncestor(deps, from);
  if (ancestor.number === from) throw new BadUpstreamData(contradiction);
  return takeBackTo(deps, ancestor);
}

/** Takes back every block behind an indexed one, and returns the head there. */
export async function takeBackTo(
  { writer, chainId, head }: Pick<ReorganiseDeps, "writer" | "chainId" | "head">,
  { number, hash, parentHash }: Pick<BlockRef, "number" | "hash" | "parentHash">,
): Promise<Head> {
  const entry = { seq: head.journalSeq + 1, blockNumber: number, blockHash: hash, parentHash, payload: null };
  return writer.transaction(async (session) => {
    await appendEntries(session, chainId, [entry]);
    await forgetTokenAnswers(session, chainId, number);
    await forgetNftMetadata(session, chainId, number);
    await rollBack(session, chainId, entry);
    return loadHead(session, chainId);
  });
}

/** Gallops down until node and rows agree, then bisects: where two chains agree they agree on everything below. */
async function findAncestor(deps: ReorganiseDeps, from: number): Promise<BlockRef> {
  let disagree = from + 1;
  let agree: BlockRef | null = null;
  for (let stride = 1; !agree; stride *= 2) {
    const number = Math.max(0, disagree - stride);
    agree = await common(deps, number);
    if (agree) break;
    if (number === 0)
      throw new BadUpstreamData("the node shares no block with what is indexed: it serves another chain");
    disagree = number;
  }
  while (disagree - agree.number > 1) {
    const middle = Math.floor((agree.number + disagree) / 2);
    const ref = await common(deps, middle);
    if (ref) agree = ref;
    else disagree = middle;
  }
  return agree;
}

/** The block at a height below both heads, where it is the same in both; else null. */
async function common({ writer, chainId, source }: ReorganiseDeps, number: number): Promise<BlockRef | null> {
  const ours = await writer.transaction((session) => indexedBlock(session, chainId, number));
  const theirs = await source.blockRef(number);
  // Taken for a disagreement, this would take back blocks that are right.
  if (!theirs) throw new BadUpstreamData(`the node has no block ${number}, which is below its head (pruned?)`);
  return ours?.hash === theirs.hash ? theirs : null;
}
