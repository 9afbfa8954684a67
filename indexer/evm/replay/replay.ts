import type { Writer } from "../../shared/writer.ts";
import { decodeBlocks } from "../decode/block.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import { entriesAfter, type JournalEntry } from "../raw-store/journal.ts";
import { storedBlocks } from "../raw-store/stored-blocks.ts";
import { BEFORE_GENESIS, type Head, loadHead } from "../store/head.ts";
import { insertBlocks } from "../store/insert-blocks.ts";
import { clearRows, rollBack } from "../store/roll-back.ts";

/** Number of journal entries per query. */
const PAGE = 100;

export interface ReplayDeps {
  readonly writer: Writer;
  readonly rules: ChainRules;
  readonly signal?: AbortSignal;
  /** Called after rows were deleted because they were computed with other rules. */
  readonly onCleared?: () => void;
  /** Called with each new head of the rows. */
  readonly onHead?: (head: Head) => void;
}

/**
 * Computes the rows up to the end of the journal, without the node. Rows that were computed with other rules are deleted and
 * replayed from the start. Throws `signal`'s reason between two transactions.
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
    for (const run of runsOf(entries)) {
      signal?.throwIfAborted();
      head = await replayRun(writer, rules, head, run);
      onHead?.(head);
    }
  }
}

/** Splits entries into runs of consecutive blocks; a rollback is a run of its own. */
function runsOf(entries: readonly JournalEntry[]): JournalEntry[][] {
  const runs: JournalEntry[][] = [];
  for (const entry of entries) {
    const last = runs.at(-1);
    if (last?.[0]?.payload && entry.payload) last.push(entry);
    else runs.push([entry]);
  }
  return runs;
}

async function replayRun(writer: Writer, rules: ChainRules, head: Head, run: readonly JournalEntry[]): Promise<Head> {
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
