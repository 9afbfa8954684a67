import { decodePBlock } from "../indexer/primary/codec/p-blocks.ts";
import { createJournal } from "../indexer/primary/journal.ts";
import { openReplay } from "../indexer/primary/replay/replay.ts";
import { tryBecomeWriter } from "../indexer/writer.ts";
import { readPrimaryRecording } from "../test/support/primary-recording.ts";
import { recordingFolder } from "../test/support/primary-vectors.ts";
import { syntheticPBlocks } from "./synthetic-p-chain.ts";

const BLOCKS = 20_000;
const BATCH = 1_000;

/** How fast the P-Chain is read and gets into the tables. */
export interface PrimaryIndexing {
  /** Blocks a second. */
  readonly decoded: number;
  readonly replayed: number;
}

/** Decodes a synthetic chain, then replays it into the tables, journal included; fetching it is not measured. */
export async function measurePrimaryIndexing(url: string): Promise<PrimaryIndexing> {
  const { network, entries } = readPrimaryRecording(recordingFolder("alpha"));
  const [zero] = entries.P;
  if (!zero) throw new Error("the recording has no block 0");
  const blocks = [...syntheticPBlocks(network, decodePBlock(zero.payload).id, BLOCKS)];
  for (const block of blocks) decodePBlock(block);
  const decodedAt = performance.now();
  for (const block of blocks) decodePBlock(block);
  const decoded = perSecond(decodedAt);

  const writer = await tryBecomeWriter(url, "bench of the primary network");
  if (!writer) throw new Error("the bench's database has another writer");
  try {
    await createJournal(writer, network.networkId);
    const replay = await openReplay({ writer, network });
    await replay.accept("P", [zero]);
    const replayedAt = performance.now();
    for (let from = 0; from < blocks.length; from += BATCH) {
      const batch = blocks.slice(from, from + BATCH).map((payload, i) => ({
        ...{ seq: 1 + from + i, isVertex: false, payload, acceptedAt: null },
      }));
      await replay.accept("P", batch, { relaxed: true });
    }
    return { decoded, replayed: perSecond(replayedAt) };
  } finally {
    await writer[Symbol.asyncDispose]();
  }
}

const perSecond = (startedAt: number): number => (BLOCKS * 1_000) / (performance.now() - startedAt);
