import { BadUpstreamData } from "../../../../core/errors.ts";
import type { Writer } from "../../../shared/writer.ts";
import { TracesRefused } from "../../fetch/source.ts";
import { acceptedEntries, appendEntries, type JournalEntry } from "../../raw-store/journal.ts";
import { appendTraces, tracedHashes, traceEntryOf } from "../../raw-store/raw-traces.ts";
import { entryOf } from "../../replay/replay.ts";
import { addUntraced, type BlockRange, untracedRanges } from "../../store/untraced-ranges.ts";
import type { RawBlock } from "../../wire/blocks.ts";
import { type CommandDeps, CommandRefused } from "../command.ts";

/** Blocks whose call trees are asked for at once. */
const AT_ONCE = 20;

/** Brings blocks that the raw store has lost, which must fit between their neighbours, and returns their numbers. */
export async function fetchMissingBlocks(
  { rules, source }: CommandDeps,
  writer: Writer,
  { from, to }: BlockRange,
): Promise<number[]> {
  const { chainId } = rules;
  const before = await writer.transaction((session) => acceptedEntries(session, chainId, Math.max(0, from - 1), to));
  const known = new Map(before.map((entry) => [entry.blockNumber, entry]));
  const missing: number[] = [];
  for (let number = from; number <= to; number++) if (!known.has(number)) missing.push(number);
  for (const number of missing) {
    const [raw] = (await source.blocks(number, number)) as [RawBlock];
    const previous = known.get(number - 1);
    const seq = number === 0 ? 1 : (previous?.seq ?? Number.NaN) + 1;
    const entry = await checkedEntry(rules.chainId, raw, { number, seq, previous, next: known.get(number + 1) });
    await writer.transaction(async (session) => {
      await appendEntries(session, chainId, [entry]);
      await appendTraces(session, chainId, [await traceEntryOf({ number, hash: entry.blockHash }, raw.traces)]);
    });
    known.set(number, entry);
  }
  return missing;
}

interface Neighbours {
  readonly number: number;
  readonly seq: number;
  readonly previous: JournalEntry | undefined;
  readonly next: JournalEntry | undefined;
}

async function checkedEntry(
  chainId: string,
  raw: RawBlock,
  { number, seq, previous, next }: Neighbours,
): Promise<JournalEntry> {
  const blockHash = raw.block.hash.slice(2);
  const parentHash = raw.block.parentHash.slice(2);
  const isBetween = (!previous || previous.blockHash === parentHash) && (!next || next.parentHash === blockHash);
  if (!isBetween) throw new BadUpstreamData(`the node's block ${number} does not fit between its stored neighbours`);
  if (!Number.isSafeInteger(seq) || (next && next.seq <= seq))
    throw new CommandRefused(
      `block ${number} of chain ${chainId} is missing from the raw store and its place there is not free`,
    );
  return entryOf(raw, { number, hash: blockHash, parentHash }, seq);
}

/**
 * Brings call trees that the raw store has lost, of blocks that did not come without. Those that the node refuses now are
 * noted as missing, so that nothing is said to be empty there.
 */
export async function fetchMissingTraces(
  deps: CommandDeps,
  writer: Writer,
  range: BlockRange,
): Promise<{ readonly fetched: number[]; readonly refused: number[] }> {
  const { chainId } = deps.rules;
  const lost = await lostTraces(writer, chainId, range);
  const fetched: number[] = [];
  const refused: number[] = [];
  for (let i = 0; i < lost.length; i += AT_ONCE) {
    const entries = lost.slice(i, i + AT_ONCE);
    const raws = await Promise.all(entries.map((entry) => tracedBlock(deps, entry)));
    const numbered = entries.map(({ blockNumber, blockHash }, at) => ({
      number: blockNumber,
      hash: blockHash,
      traces: raws[at]?.traces ?? null,
    }));
    const appended = await Promise.all(numbered.map((one) => traceEntryOf(one, one.traces)));
    await writer.transaction(async (session) => {
      await appendTraces(session, chainId, appended);
      await addUntraced(
        session,
        chainId,
        numbered.map(({ number, traces }) => ({ number, isTraced: traces !== null })),
      );
    });
    for (const { number, traces } of numbered) (traces ? fetched : refused).push(number);
  }
  return { fetched, refused };
}

function lostTraces(writer: Writer, chainId: string, range: BlockRange): Promise<JournalEntry[]> {
  return writer.transaction(async (session) => {
    const entries = await acceptedEntries(session, chainId, range.from, range.to);
    const stored = await tracedHashes(
      session,
      chainId,
      entries.map(({ blockHash }) => blockHash),
    );
    const noted = await untracedRanges(session, chainId, range);
    const isNoted = (number: number) => noted.some(({ from, to }) => from <= number && number <= to);
    return entries.filter(({ blockNumber, blockHash }) => !stored.has(blockHash) && !isNoted(blockNumber));
  });
}

/** Null where the node refuses its call trees, or nobody wants them asked for. */
async function tracedBlock(
  { source }: CommandDeps,
  { blockNumber, blockHash }: JournalEntry,
): Promise<RawBlock | null> {
  if (!source.tracing.isOn) return null;
  try {
    const raw = await source.tracedBlock(blockNumber);
    if (raw.block.hash.slice(2) === blockHash) return raw;
    throw new BadUpstreamData(`the node's block ${blockNumber} is another than the stored one`);
  } catch (error) {
    if (error instanceof TracesRefused) return null;
    throw error;
  }
}
