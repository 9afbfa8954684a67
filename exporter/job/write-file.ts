import { messageOf } from "../../core/errors/errors.ts";
import { JobStopped, orAborted, untilAborted } from "./abort.ts";
import type { Attempt } from "./attempt.ts";
import type { Checkpoint } from "./checkpoint.ts";
import { beginFile, type OpenFile, resumeFile } from "./open-file.ts";
import { createPartEncoder, type PartEncoder } from "./part-encoder.ts";
import { createRecorder, type Recorder } from "./recorder.ts";

/** Size of a part as CSV. Parts are held in memory until they are stored. */
const PART_BYTES = 4 << 20;
/** A part gets at most this many times the usual size while it waits for a place where reading can start again. */
const MAX_PART_FACTOR = 4;

/** Writes the file of an operation from its last checkpoint to the end, and completes the operation. */
export async function writeFile(attempt: Attempt): Promise<void> {
  const recorder = createRecorder(attempt);
  await recorder.start();
  const file = (await resumeFile(attempt, recorder)) ?? (await beginFile(attempt, recorder));
  await using writer = file.writer;
  await recorder.checkpoint(file.checkpoint);
  await recorder.untilStored(writer.removeOthers()).catch((error: unknown) => {
    attempt.signal.throwIfAborted();
    attempt.logger.warn({ err: error }, `files of earlier attempts could not be deleted: ${messageOf(error)}`);
  });
  const encoder = createPartEncoder(attempt.operation.request);
  const written = await writeRows(attempt, file, { encoder, recorder });
  // If this worker has lost its lock, this query fails. So it does not publish its file.
  await orAborted(attempt.session.client.query("SELECT"), attempt.signal);
  const store = await recorder.untilStored(writer.finish());
  await recorder.complete({ ...written, store }, file.hash.digest());
}

interface Sinks {
  readonly encoder: PartEncoder;
  readonly recorder: Recorder;
}

async function writeRows(attempt: Attempt, file: OpenFile, { encoder, recorder }: Sinks): Promise<Checkpoint> {
  const { source, snapshot, timings, signal, stop } = attempt;
  const { bounds, nextDate, position } = file.checkpoint;
  let last = file.checkpoint;
  let { rows } = last;
  /** Ends the part. It is recorded if reading can start again after it and the store holds it. */
  const endPart = async (position: string | null) => {
    const part = await encoder.take();
    await file.hash.add(part);
    const isDurable = await recorder.untilStored(file.writer.append(part));
    const { hash, writer } = file;
    last = { ...last, position, rows, bytes: last.bytes + part.length, hash: hash.save(), store: writer.state };
    if (isDurable && position !== null) await recorder.checkpoint(last);
  };
  if (last.bytes === 0) await encoder.begin(source.columns.map(({ name }) => name));
  const batches = source.read(snapshot.client, bounds, { after: position, beforeDate: nextDate, signal });
  for await (const batch of untilAborted(batches, signal)) {
    await encoder.add(batch.rows);
    rows += batch.rows.length;
    const factor = batch.position === null ? MAX_PART_FACTOR : 1;
    const isFull = encoder.rows >= timings.partRows * factor || encoder.bytes >= PART_BYTES * factor;
    const isStopping = stop.aborted && batch.position !== null;
    if (isFull || isStopping) await endPart(batch.position);
    if (isStopping) throw new JobStopped("the worker stops");
    await recorder.progress(rows, last.bytes);
  }
  if (encoder.rows > 0) await endPart(null);
  return last;
}
