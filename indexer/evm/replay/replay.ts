import { mapYielding } from "../../../core/yield-to-event-loop.ts";
import { createPayloadCodec } from "../../shared/payload.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import { type BlockRows, decodeBlock } from "../decode/block.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import { EVM_DICTIONARY } from "../raw-store/dictionary.ts";
import { entriesAfter, type JournalEntry } from "../raw-store/journal.ts";
import { storedTraces } from "../raw-store/raw-traces.ts";
import { BEFORE_GENESIS, clearRows, type Head, insertBlocks, loadHead, rollBack } from "../store/tables.ts";
import type { RawBlock } from "../wire/blocks.ts";

const PAGE = 100;

export const evmPayloads = createPayloadCodec(EVM_DICTIONARY);

export interface ReplayDeps {
  readonly writer: Writer;
  readonly rules: ChainRules;
  readonly signal?: AbortSignal;
  /** Told that rows of another version were taken away, to be made again. */
  readonly onCleared?: () => void;
  /** Told of each head that the rows have reached. */
  readonly onHead?: (head: Head) => void;
}

/**
 * Brings the rows up to the end of the journal, without the node; rows that other rules made are made again. Throws
 * `signal`'s reason between two transactions.
 */
export async function replayJournal({ writer, rules, signal, onCleared, onHead }: ReplayDeps): Promise<Head> {
  const { chainId, rowsVersion } = rules;
  let head = await writer.transaction((session) => loadHead(session, chainId));
  if (head.rowsVersion !== null && head.rowsVersion !== rowsVersion) {
    await writer.transaction((session) => clearRows(session, chainId));
    onCleared?.();
    head = BEFORE_GENESIS;
  }
  for (;;) {
    const { journalSeq } = head;
    const entries = await writer.transaction((session) => entriesAfter(session, chainId, journalSeq, PAGE));
    if (entries.length === 0) return head;
    for (const run of runs(entries)) {
      signal?.throwIfAborted();
      head = await replay(writer, rules, head, run);
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

async function replay(writer: Writer, rules: ChainRules, head: Head, run: readonly JournalEntry[]): Promise<Head> {
  const { chainId } = rules;
  const [first] = run as [JournalEntry];
  if (!first.payload) {
    return writer.transaction(async (session) => {
      await rollBack(session, chainId, first);
      return loadHead(session, chainId);
    });
  }
  const raws = await writer.transaction((session) => storedBlocks(session, chainId, run));
  const blocks = await decodeBlocks(rules, head, raws);
  const seq = run.at(-1)?.seq ?? head.journalSeq;
  return writer.transaction((session) => insertBlocks(session, rules, blocks, seq), { relaxed: true });
}

/** The blocks of these entries, which have payloads, with what is stored of their call trees. */
export async function storedBlocks(
  session: Session,
  chainId: string,
  entries: readonly JournalEntry[],
): Promise<RawBlock[]> {
  const hashes = entries.map(({ blockHash }) => blockHash);
  const traces = await storedTraces(session, chainId, hashes);
  return mapYielding(entries, async ({ payload, blockHash }) => {
    const stored = (await evmPayloads.decode(payload as Buffer)) as Omit<RawBlock, "traces">;
    return { ...stored, traces: traces.get(blockHash) ?? null };
  });
}

/** Rows of blocks that follow each other upon `head`. Rejects with `BadUpstreamData`. */
export async function decodeBlocks(rules: ChainRules, head: Head, raws: readonly RawBlock[]): Promise<BlockRows[]> {
  let { cumulativeTransactions } = head;
  return mapYielding(raws, async (raw) => {
    const block = decodeBlock(rules, raw, cumulativeTransactions);
    cumulativeTransactions = block.cumulativeTransactions;
    return block;
  });
}

/** A block as the journal keeps it. */
export async function entryOf(
  { block, receipts }: RawBlock,
  { number, hash, parentHash }: Pick<BlockRows, "number" | "hash" | "parentHash">,
  seq: number,
): Promise<JournalEntry> {
  const payload = await evmPayloads.encode({ block, receipts });
  return { seq, blockNumber: number, blockHash: hash, parentHash, payload };
}
