import { storeBlocks } from "../../follow/store-in-order.ts";
import type { GoodPrefix } from "../../shared/good-prefix.ts";
import { mapGoodBlocks } from "../batches.ts";
import { decodeBlock } from "../decode/block.ts";
import { type EncodedBlock, encodedBlock } from "../decode/encoded-block.ts";
import { copiesOfEntries, type RawBlockEntry } from "../raw-blocks/entries.ts";
import { copiesOfTraces, type TraceEntry, traceEntry } from "../raw-blocks/raw-traces.ts";
import { rawBlockEntry } from "../raw-blocks/stored-blocks.ts";
import type { Head } from "../store/head.ts";
import { insertBlocks } from "../store/insert-blocks.ts";
import { requireNewTransactions } from "../store/new-transactions.ts";
import { addTraceFailures, type FailedTraces } from "../traces/trace-retries.ts";
import type { RawBlock } from "../wire/blocks.ts";
import type { TraceFailure } from "../wire/call-trees.ts";
import { type Chain, setHead } from "./chain.ts";
import { storeTracing } from "./identify.ts";

/** The last block before some others, which may not be written yet. */
export type Tip = Pick<Head, "rawSeq" | "cumulativeTransactions">;

/** A block with all that is written for it. */
export interface PreparedBlock {
  readonly rows: EncodedBlock;
  readonly entry: RawBlockEntry;
  readonly traces: TraceEntry | null;
  /** Why the call trees are not known, if they were requested. */
  readonly traceFailure: TraceFailure | null;
}

/**
 * Decodes and compresses consecutive blocks that follow `tip`. Needs no database, so the blocks before them may be written at the
 * same time.
 */
export async function prepareBlocks(
  { rules }: Pick<Chain, "rules">,
  tip: Tip,
  raws: readonly RawBlock[],
): Promise<GoodPrefix<PreparedBlock>> {
  let before = tip.cumulativeTransactions;
  return mapGoodBlocks(raws, async (raw, i) => {
    // All rows of a block are encoded before those of the next one are decoded, so that they are in memory only for a short time.
    const rows = encodedBlock(decodeBlock(rules, raw, before));
    before = rows.cumulativeTransactions;
    const entry = await rawBlockEntry(raw, rows, tip.rawSeq + 1 + i);
    return { rows, entry, traces: await traceEntry(rows, raw.traces), traceFailure: raw.traceFailure ?? null };
  });
}

/** The tip after these blocks. */
export function tipAfter(tip: Tip, blocks: readonly PreparedBlock[]): Tip {
  const last = blocks.at(-1);
  return last ? { rawSeq: last.entry.seq, cumulativeTransactions: last.rows.cumulativeTransactions } : tip;
}

/** Writes verified blocks that follow the head. */
export function writeBlocks(chain: Chain, blocks: readonly PreparedBlock[], nodeHead: number): Promise<void> {
  return storeBlocks(blocks, {
    after: chain.head.blockNumber,
    nodeHead,
    write: async (some, { relaxed }) => setHead(chain, await writeGroup(chain, some, relaxed)),
    nameOf: ({ rows }) => `block ${rows.number} (0x${rows.hash})`,
    progress: chain.progress,
  });
}

/**
 * Writes raw blocks and rows in one transaction: a block whose rows cannot be stored must not be in the raw blocks, where it would
 * block the replay of all later blocks.
 */
async function writeGroup(chain: Chain, blocks: readonly PreparedBlock[], relaxed: boolean): Promise<Head> {
  const { writer, rules, chainId, head } = chain;
  const rows = blocks.map((block) => block.rows);
  await storeTracing(chain);
  return writer.transaction(
    async (session) => {
      await requireNewTransactions(session, chainId, rows);
      const traces = await copiesOfTraces(
        session,
        chainId,
        blocks.map((block) => block.traces),
      );
      const entries = copiesOfEntries(
        chainId,
        blocks.map(({ entry }) => entry),
      );
      await addTraceFailures(session, chainId, passingFailures(blocks));
      return insertBlocks(session, rules, rows, head.rawSeq + blocks.length, [...entries, ...traces]);
    },
    { relaxed },
  );
}

/** The blocks whose call trees are requested again. For others, the chain's capability `traces` has the reason. */
function passingFailures(blocks: readonly PreparedBlock[]): FailedTraces[] {
  return blocks.flatMap(({ rows: { number }, traceFailure: failure }) =>
    failure?.isPassing ? [{ number, failure }] : [],
  );
}
