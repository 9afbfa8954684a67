import { BadUpstreamData } from "../../../../core/errors/errors.ts";
import type { Writer } from "../../../shared/writer.ts";
import { type BlockRange, blockNumbers, isInRanges } from "../../block-range.ts";
import { TracesRefused } from "../../fetch/call-traces.ts";
import { acceptedEntries, appendEntries, type RawBlockEntry } from "../../raw-blocks/entries.ts";
import { appendTraces, tracedHashes, traceEntry } from "../../raw-blocks/raw-traces.ts";
import { rawBlockEntry } from "../../raw-blocks/stored-blocks.ts";
import { addUntraced, untracedRanges } from "../../store/untraced-ranges.ts";
import type { RawBlock } from "../../wire/blocks.ts";
import { type CommandDeps, CommandRefused } from "../command.ts";

/** Number of blocks whose call trees are requested at the same time. */
const TRACES_PAGE = 20;

/**
 * Fetches blocks that the raw blocks lack, stores them, and returns their numbers. Rejects with `BadUpstreamData` if the
 * hashes of a block do not match those of the stored blocks before and after it, and with `CommandRefused` if the store has no
 * free sequence number between these blocks.
 */
export async function fetchMissingBlocks(
  { rules, source }: CommandDeps,
  writer: Writer,
  { from, to }: BlockRange,
): Promise<number[]> {
  const { chainId } = rules;
  const before = await writer.transaction((session) => acceptedEntries(session, chainId, Math.max(0, from - 1), to));
  const stored = new Map(before.map((entry) => [entry.blockNumber, entry]));
  const missing = blockNumbers({ from, to }).filter((number) => !stored.has(number));
  for (const number of missing) {
    const [raw] = (await source.blocks(number, number)) as [RawBlock];
    const previous = stored.get(number - 1);
    const seq = number === 0 ? 1 : (previous?.seq ?? Number.NaN) + 1;
    const entry = await checkedEntry(rules.chainId, raw, { number, seq, previous, next: stored.get(number + 1) });
    await writer.transaction(async (session) => {
      await appendEntries(session, chainId, [entry]);
      await appendTraces(session, chainId, [await traceEntry({ number, hash: entry.blockHash }, raw.traces)]);
    });
    stored.set(number, entry);
  }
  return missing;
}

/**
 * Where a missing block belongs in the raw blocks: its number, its sequence number, and the entries before and after it.
 */
interface Position {
  readonly number: number;
  readonly seq: number;
  readonly previous: RawBlockEntry | undefined;
  readonly next: RawBlockEntry | undefined;
}

async function checkedEntry(
  chainId: string,
  raw: RawBlock,
  { number, seq, previous, next }: Position,
): Promise<RawBlockEntry> {
  const blockHash = raw.block.hash.slice(2);
  const parentHash = raw.block.parentHash.slice(2);
  const isBetween = (!previous || previous.blockHash === parentHash) && (!next || next.parentHash === blockHash);
  if (!isBetween)
    throw new BadUpstreamData(
      `the node's block ${number} of chain ${chainId} does not match the parent hashes of the stored blocks before and after it: check that the node is on the indexed branch, then run the command again`,
    );
  if (!Number.isSafeInteger(seq) || (next && next.seq <= seq))
    throw new CommandRefused(
      `block ${number} of chain ${chainId} is missing from the raw blocks, which have no free sequence number between the blocks before and after it: restore the database from a backup, or delete the database and index the chain again`,
    );
  return rawBlockEntry(raw, { number, hash: blockHash, parentHash }, seq);
}

/**
 * Fetches and stores call trees that the raw blocks lack and that are not recorded as missing. If the node refuses the
 * call trees of a block or returns wrong ones, or if tracing is off, records them as missing, so that the API does not serve the block as if it had
 * no internal transactions.
 */
export async function fetchMissingTraces(
  deps: CommandDeps,
  writer: Writer,
  range: BlockRange,
): Promise<{ readonly fetched: number[]; readonly refused: number[] }> {
  const { chainId } = deps.rules;
  const lost = await entriesWithoutTraces(writer, chainId, range);
  const fetched: number[] = [];
  const refused: number[] = [];
  for (let i = 0; i < lost.length; i += TRACES_PAGE) {
    const entries = lost.slice(i, i + TRACES_PAGE);
    const raws = await Promise.all(entries.map((entry) => tracedBlock(deps, entry)));
    const blocks = entries.map(({ blockNumber, blockHash }, at) => ({
      number: blockNumber,
      hash: blockHash,
      traces: raws[at]?.traces ?? null,
    }));
    const traceEntries = await Promise.all(blocks.map((block) => traceEntry(block, block.traces)));
    await writer.transaction(async (session) => {
      await appendTraces(session, chainId, traceEntries);
      await addUntraced(
        session,
        chainId,
        blocks.map(({ number, traces }) => ({ number, isTraced: traces !== null })),
      );
    });
    for (const { number, traces } of blocks) (traces ? fetched : refused).push(number);
  }
  return { fetched, refused };
}

function entriesWithoutTraces(writer: Writer, chainId: string, range: BlockRange): Promise<RawBlockEntry[]> {
  return writer.transaction(async (session) => {
    const entries = await acceptedEntries(session, chainId, range.from, range.to);
    const stored = await tracedHashes(
      session,
      chainId,
      entries.map(({ blockHash }) => blockHash),
    );
    const recorded = await untracedRanges(session, chainId, range);
    return entries.filter(({ blockNumber, blockHash }) => !stored.has(blockHash) && !isInRanges(recorded, blockNumber));
  });
}

/** Null if the node refuses the block's call trees or returns wrong ones, or if tracing is off. */
async function tracedBlock(
  { source }: CommandDeps,
  { blockNumber, blockHash }: RawBlockEntry,
): Promise<RawBlock | null> {
  if (!source.tracing.isOn) return null;
  try {
    const raw = await source.tracedBlock(blockNumber);
    if (raw.block.hash.slice(2) === blockHash) return raw;
    throw new BadUpstreamData(`the node's block ${blockNumber} has another hash than the stored block`);
  } catch (error) {
    if (error instanceof TracesRefused) return null;
    throw error;
  }
}
