import { createJournal } from "../../indexer/primary/journal.ts";
import { openReplay } from "../../indexer/primary/replay/replay.ts";
import { tryBecomeWriter } from "../../indexer/writer.ts";
import { createTestDatabase, type TestDatabase } from "./database.ts";
import { type PrimaryRecording, readPrimaryRecording } from "./primary-recording.ts";

/** A database into which a whole recording was replayed, and the recording. */
export interface ReplayedPrimary extends TestDatabase {
  readonly recording: PrimaryRecording;
}

/** Replays every block, vertex and atomic transaction of a recording into a database of its own. */
export async function replayPrimary(folder: string): Promise<ReplayedPrimary> {
  const recording = readPrimaryRecording(folder);
  const { network, entries, atomicBlocks } = recording;
  const database = await createTestDatabase();
  const writer = await tryBecomeWriter(database.url, "primary");
  if (!writer) throw new Error("a database just made has a writer already");
  try {
    await createJournal(writer, network.networkId);
    const replay = await openReplay({ writer, network });
    await replay.accept("P", entries.P);
    await replay.accept("X", entries.X);
    await replay.acceptAtomic(atomicBlocks);
  } finally {
    await writer[Symbol.asyncDispose]();
  }
  return { ...database, recording };
}
