import { entriesAfter, type JournalEntry } from "../journal.ts";
import { createPayloadCodec } from "../payload.ts";
import { mapInTurns } from "../turns.ts";
import type { Writer } from "../writer.ts";
import { type BlockRows, decodeBlock } from "./decode.ts";
import { EVM_DICTIONARY } from "./dictionary.ts";
import { type Head, insertBlocks, loadHead, rollBack } from "./store.ts";
import type { RawBlock } from "./wire.ts";

const PAGE = 100;

export const evmPayloads = createPayloadCodec(EVM_DICTIONARY);

export interface ReplayDeps {
  readonly writer: Writer;
  readonly chainId: string;
  readonly signal?: AbortSignal;
  /** Told of each head that the rows have reached. */
  readonly onHead?: (head: Head) => void;
}

/** Brings the rows up to the end of the journal, without the node. Throws `signal`'s reason between two transactions. */
export async function replayJournal({ writer, chainId, signal, onHead }: ReplayDeps): Promise<Head> {
  let head = await writer.transaction((session) => loadHead(session, chainId));
  for (;;) {
    const { journalSeq } = head;
    const entries = await writer.transaction((session) => entriesAfter(session, chainId, journalSeq, PAGE));
    if (entries.length === 0) return head;
    for (const run of runs(entries)) {
      signal?.throwIfAborted();
      head = await replay(writer, chainId, head, run);
      onHead?.(head);
    }
  }
}

/** Splits entries into rollbacks, each alone, and blocks that follow each other. */
function runs(entries: readonly JournalEntry[]): JournalEntry[][] {
  const groups: JournalEntry[][] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (last?.[0]?.payload && entry.payload) last.push(entry);
    else groups.push([entry]);
  }
  return groups;
}

async function replay(writer: Writer, chainId: string, head: Head, run: readonly JournalEntry[]): Promise<Head> {
  const [first] = run as [JournalEntry];
  if (!first.payload) {
    return writer.transaction(async (session) => {
      await rollBack(session, chainId, first);
      return loadHead(session, chainId);
    });
  }
  const raws = (await mapInTurns(run, (entry) => evmPayloads.decode(entry.payload as Buffer))) as RawBlock[];
  const blocks = decodeBlocks(chainId, head, raws);
  const seq = run.at(-1)?.seq ?? head.journalSeq;
  return writer.transaction((session) => insertBlocks(session, chainId, blocks, seq), { relaxed: true });
}

/** Rows of blocks that follow each other upon `head`. Throws `BadUpstreamData`. */
export function decodeBlocks(chainId: string, head: Head, raws: readonly RawBlock[]): BlockRows[] {
  let { cumulativeTransactions } = head;
  return raws.map((raw) => {
    const block = decodeBlock(chainId, raw, cumulativeTransactions);
    cumulativeTransactions = block.cumulativeTransactions;
    return block;
  });
}

/** A block as the journal keeps it. */
export async function entryOf(
  raw: RawBlock,
  { number, hash, parentHash }: BlockRows,
  seq: number,
): Promise<JournalEntry> {
  return { seq, blockNumber: number, blockHash: hash, parentHash, payload: await evmPayloads.encode(raw) };
}
