import type { FileWriter } from "../files/file-store.ts";
import { exportedFile } from "../operations.ts";
import { orAborted } from "./abort.ts";
import type { Attempt } from "./attempt.ts";
import { type Checkpoint, parseCheckpoint } from "./checkpoint.ts";
import type { Recorder } from "./recorder.ts";
import { createResumableHash, type ResumableHash } from "./resumable-hash.ts";
import { truncateDays } from "./truncate-days.ts";

/** The file of an attempt, and what has been written to it. */
export interface OpenFile {
  readonly writer: FileWriter;
  readonly hash: ResumableHash;
  readonly checkpoint: Checkpoint;
}

/** Continues the file of the last attempt. Null if there is none, or if it cannot be continued. */
export async function resumeFile(attempt: Attempt, recorder: Recorder): Promise<OpenFile | null> {
  const { operation, source, snapshot, store, signal } = attempt;
  const checkpoint = parseCheckpoint(operation.checkpoint);
  if (!checkpoint) return null;
  const isIndexed = await orAborted(source.areBlocksStillIndexed(snapshot.client, checkpoint.bounds), signal);
  if (!isIndexed) return null;
  const hash = await createResumableHash(checkpoint.hash);
  if (!hash) return null;
  const { store: state, bytes } = checkpoint;
  const writer = await untilOpen(recorder, store.resume(exportedFile(operation), { state, bytes }, signal));
  return writer && { writer, hash, checkpoint: { ...checkpoint, store: writer.state } };
}

/** Waits for a file to be opened. If the attempt ends before that, the file is closed when it is open. */
async function untilOpen<Writer extends FileWriter | null>(
  { untilStored }: Recorder,
  opening: Promise<Writer>,
): Promise<Writer> {
  try {
    return await untilStored(opening);
  } catch (error) {
    opening.then((writer) => writer?.[Symbol.asyncDispose]()).catch(() => {});
    throw error;
  }
}

const NO_WARNINGS: Promise<readonly string[]> = Promise.resolve([]);

/** Counts the rows and begins the file. */
export async function beginFile(attempt: Attempt, recorder: Recorder): Promise<OpenFile> {
  const { operation, source, snapshot, store, maxRows, signal } = attempt;
  const bounds = [...(await orAborted(source.readBounds(snapshot.client), signal))];
  const { totalRows, nextDate } = truncateDays(
    await orAborted(source.countDays(snapshot.client, bounds), signal),
    maxRows,
  );
  const warnings = [...(await orAborted(source.readWarnings?.(snapshot.client, bounds) ?? NO_WARNINGS, signal))];
  const hash = (await createResumableHash(null)) as ResumableHash; // null is returned only for a stored state
  const writer = await untilOpen(recorder, store.begin(exportedFile(operation), signal));
  const checkpoint = {
    bounds,
    totalRows,
    nextDate,
    warnings,
    position: null,
    rows: 0,
    bytes: 0,
    hash: hash.save(),
    store: writer.state,
  };
  return { writer, hash, checkpoint };
}
