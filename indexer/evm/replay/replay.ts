import { createBatchSize } from "../../follow/batch-size.ts";
import { handledLater } from "../../shared/handled-later.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import type { ChainRules } from "../decode/chain-rules.ts";
import { decodeBlocks, type EncodedBlock } from "../decode/encoded-block.ts";
import { entriesAfter, type RawBlockEntry } from "../raw-blocks/entries.ts";
import { type CompressedBlock, compressedBlocks, decompressed } from "../raw-blocks/stored-blocks.ts";
import { BEFORE_GENESIS, type Head, loadHead } from "../store/head.ts";
import { insertBlocks } from "../store/insert-blocks.ts";
import { clearRows, rollBack } from "../store/roll-back.ts";

const MIN_BATCH = 100;
const MAX_BATCH = 500;

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
 * Computes the rows up to the last raw block, without the node. Rows that were computed with other rules are deleted and
 * replayed from the start. While the rows of some blocks are written, the next blocks are read and decoded. Throws `signal`'s reason
 * between two transactions.
 */
export async function replayRawBlocks({ writer, rules, signal, onCleared, onHead }: ReplayDeps): Promise<Head> {
  const { chainId, rowsVersion } = rules;
  let head = await writer.transaction((session) => loadHead(session, chainId));
  if (head.rowsVersion !== null && head.rowsVersion !== rowsVersion) {
    await writer.transaction((session) => clearRows(session, chainId));
    onCleared?.();
    head = BEFORE_GENESIS;
  }
  const size = createBatchSize(MAX_BATCH, MIN_BATCH);
  const read = (seq: number) => writer.transaction((session) => readRun(session, chainId, seq, size.current));
  const write = async (task: (session: Session) => Promise<Head>) => {
    head = await writer.transaction(task, { relaxed: true });
    onHead?.(head);
  };
  // A run may be short because it ends at a rollback.
  const insert = (session: Session, blocks: readonly EncodedBlock[], seq: number) =>
    size.measure(() => insertBlocks(session, rules, blocks, seq), blocks.length);
  let writing = Promise.resolve();
  let { cumulativeTransactions } = head;
  try {
    let run = await read(head.rawSeq);
    while (run) {
      // The session reads the next run before it writes this one.
      const reading = handledLater(read(run.lastSeq));
      const { rollback, lastSeq } = run;
      if (rollback) {
        await writing;
        signal?.throwIfAborted();
        await write((session) => replayRollback(session, chainId, rollback));
        ({ cumulativeTransactions } = head);
      } else {
        const blocks = await decodeBlocks(rules, { cumulativeTransactions }, await decompressed(run.blocks));
        cumulativeTransactions = blocks.at(-1)?.cumulativeTransactions ?? cumulativeTransactions;
        await writing;
        signal?.throwIfAborted();
        writing = handledLater(write((session) => insert(session, blocks, lastSeq)));
      }
      run = await reading;
    }
  } finally {
    await writing;
  }
  return head;
}

/** Entries that are replayed in one transaction: a rollback, or consecutive blocks. */
interface Run {
  readonly lastSeq: number;
  /** Null for blocks. */
  readonly rollback: RawBlockEntry | null;
  readonly blocks: readonly CompressedBlock[];
}

/** The first entries after `seq`, at most `limit`; null after the last entry. */
async function readRun(session: Session, chainId: string, seq: number, limit: number): Promise<Run | null> {
  const entries = await entriesAfter(session, chainId, seq, limit);
  const [first] = entries;
  if (!first) return null;
  if (!first.payload) return { lastSeq: first.seq, rollback: first, blocks: [] };
  const end = entries.findIndex(({ payload }) => !payload);
  const blocks = end < 0 ? entries : entries.slice(0, end);
  const { seq: lastSeq } = blocks.at(-1) as RawBlockEntry;
  return { lastSeq, rollback: null, blocks: await compressedBlocks(session, chainId, blocks) };
}

async function replayRollback(session: Session, chainId: string, entry: RawBlockEntry): Promise<Head> {
  await rollBack(session, chainId, entry);
  return loadHead(session, chainId);
}
