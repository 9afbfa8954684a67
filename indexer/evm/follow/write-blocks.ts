import pg from "pg";
import { BadUpstreamData } from "../../../core/errors.ts";
import { mapYielding } from "../../../core/yield-to-event-loop.ts";
import { type BlockRows, decodeBlocks } from "../decode/block.ts";
import { appendEntries } from "../raw-store/journal.ts";
import { appendTraces, traceEntry } from "../raw-store/raw-traces.ts";
import { journalEntry } from "../raw-store/stored-blocks.ts";
import type { Head } from "../store/head.ts";
import { insertBlocks } from "../store/insert-blocks.ts";
import { requireNewTransactions } from "../store/new-transactions.ts";
import type { RawBlock } from "../wire/blocks.ts";
import { type Chain, setHead } from "./chain.ts";
import { storeTracing } from "./identify.ts";

/** Within this number of blocks from the node's head, each block is written in its own transaction. */
const NEAR_HEAD = 16;

/** Writes verified blocks that follow the head: block by block near the node's head, else in one transaction. */
export async function writeBlocks(chain: Chain, raws: readonly RawBlock[], nodeHead: number): Promise<void> {
  const isFarBehind = nodeHead - chain.head.blockNumber > NEAR_HEAD;
  for (const group of isFarBehind ? [raws] : raws.map((raw) => [raw])) {
    setHead(chain, await writeGroup(chain, group, isFarBehind));
  }
  if (isFarBehind) chain.progress.update({ state: "BACKFILLING", reason: null });
}

/**
 * Writes journal and rows in one transaction: a block whose rows cannot be stored must not be in the journal, where it would
 * block the replay of all later blocks. Throws `BadUpstreamData` for such a block.
 */
async function writeGroup(chain: Chain, raws: readonly RawBlock[], relaxed: boolean): Promise<Head> {
  const { writer, rules, chainId, head } = chain;
  const blocks = await decodeBlocks(rules, head, raws);
  const entries = await mapYielding(raws, (raw, i) =>
    journalEntry(raw, blocks[i] as BlockRows, head.journalSeq + 1 + i),
  );
  const traces = await mapYielding(raws, (raw, i) => traceEntry(blocks[i] as BlockRows, raw.traces));
  await storeTracing(chain);
  try {
    return await writer.transaction(
      async (session) => {
        await requireNewTransactions(session, chainId, blocks);
        await appendEntries(session, chainId, entries);
        await appendTraces(session, chainId, traces);
        return insertBlocks(session, rules, blocks, head.journalSeq + raws.length);
      },
      { relaxed },
    );
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    const from = blocks[0]?.number;
    const to = blocks.at(-1)?.number;
    throw new BadUpstreamData(`block ${from === to ? from : `${from} to ${to}`} cannot be stored: ${error.message}`);
  }
}

/**
 * True for a value that is out of range or a duplicate key (SQLSTATE classes 22 and 23), which is the node's error. In the tables
 * of the raw block store, such an error is a bug of Moraine.
 */
function isRefusedValue(error: unknown): error is pg.DatabaseError {
  return (
    error instanceof pg.DatabaseError &&
    /^2[23]/.test(error.code ?? "") &&
    !/^(journal|raw_traces)/.test(error.table ?? "")
  );
}
