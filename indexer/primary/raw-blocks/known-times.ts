import type { Writer } from "../../shared/writer.ts";
import type { VertexTimes } from "../fetch/vertex-times.ts";

/** Number of vertices that are read and changed in one transaction. */
const PAGE = 10_000;

/** The id of a vertex is the hash of its bytes. */
const VERTICES = `SELECT seq, encode(sha256(payload), 'hex') AS id FROM primary_raw_blocks
  WHERE network_id = $1 AND chain = 'X' AND is_vertex AND seq > $2 ORDER BY seq LIMIT ${PAGE}`;
const SET_TIMES = `UPDATE primary_raw_blocks j SET accepted_at = t.time, is_time_known = true
  FROM unnest($2::bigint[], $3::bigint[]) AS t(seq, time) WHERE j.network_id = $1 AND j.chain = 'X' AND j.seq = t.seq`;

/** Replaces the times of stored vertices by the known ones. Resolves with the number of vertices whose time is known. */
export async function setKnownTimes(
  writer: Pick<Writer, "transaction">,
  networkId: number,
  times: VertexTimes,
): Promise<number> {
  let known = 0;
  for (let last: number | null = -1; last !== null && times.size > 0; )
    last = await writer.transaction(async (session) => {
      const page = await session.query<{ seq: string; id: string }>(VERTICES, [networkId, last]);
      const found = page.filter(({ id }) => times.has(id));
      known += found.length;
      const seconds = found.map(({ id }) => times.get(id));
      await session.query(SET_TIMES, [networkId, found.map(({ seq }) => seq), seconds]);
      return page.length < PAGE ? null : Number(page.at(-1)?.seq);
    });
  return known;
}
