import { openReplay } from "../../../indexer/primary/replay/replay.ts";
import { tryBecomeWriter } from "../../../indexer/shared/writer.ts";
import type { TestDatabase } from "../database/database.ts";
import type { PrimaryRecording } from "../recorded/primary-recording.ts";
import type { AcceptedAt } from "../recorded/retimed-vertices.ts";

/** The recorded acceptance times of a recording's vertices. */
export function acceptanceTimes({ entries, vertexCount }: PrimaryRecording): number[] {
  return entries.X.slice(0, vertexCount).map(({ acceptedAt }) => acceptedAt ?? 0);
}

/**
 * Changes the node's acceptance times in the raw blocks of a replayed recording, and determines the times of its vertices again.
 * `known` has times of the file of known times, by vertex index.
 */
export async function retimeVertices(
  { pool, url }: TestDatabase,
  recording: PrimaryRecording,
  acceptedAt: AcceptedAt,
  known: ReadonlyMap<number, number> = new Map(),
): Promise<void> {
  const { network } = recording;
  const { timestamp } = network.genesis;
  const times = acceptanceTimes(recording).map(
    (time, index) => known.get(index) ?? timestamp + acceptedAt(time - timestamp, index),
  );
  await pool.query(
    `UPDATE primary_raw_blocks SET accepted_at = t.time, is_time_known = s.seq = ANY ($2::bigint[])
     FROM unnest($1::bigint[]) WITH ORDINALITY AS t(time, n), LATERAL (SELECT t.n - 1 AS seq) s
     WHERE chain = 'X' AND primary_raw_blocks.seq = s.seq`,
    [times, [...known.keys()]],
  );
  await pool.query("DELETE FROM x_chain_vertex_times");
  const writer = await tryBecomeWriter(url, "primary");
  if (!writer) throw new Error("the database has a writer already");
  try {
    await openReplay({ writer, network });
  } finally {
    await writer[Symbol.asyncDispose]();
  }
}
