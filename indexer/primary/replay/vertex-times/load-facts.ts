import type { Session } from "../../../shared/writer.ts";
import type { NetworkFacts } from "../../network/network.ts";
import type { VertexFacts } from "./bounds.ts";

/** Vertices whose rows are read by one statement. */
const PAGE = 20_000;

/** When the node accepted vertices, and whether that time comes from the file of known times. */
const ACCEPTED = `SELECT seq AS vertex, accepted_at AS time, is_time_known AS "isKnown" FROM primary_raw_blocks
  WHERE network_id = $1 AND chain = 'X' AND is_vertex AND seq >= $2 AND seq < $3 ORDER BY seq`;

/**
 * Parents of vertices, and vertices whose outputs they spend. Each row is looked up by a LATERAL with a LIMIT: otherwise the planner
 * reads whole tables for each vertex while a newly filled network has no statistics.
 */
const PAIRS = `SELECT p.vertex_index AS earlier, v.vertex_index AS later
    FROM x_chain_vertices v CROSS JOIN LATERAL unnest(v.parent_hashes) AS parent(hash) CROSS JOIN LATERAL (
      SELECT vertex_index FROM x_chain_vertices p WHERE p.network_id = $1 AND p.vertex_hash = parent.hash LIMIT 1
    ) p WHERE v.network_id = $1 AND v.vertex_index >= $2 AND v.vertex_index < $3
  UNION SELECT s.vertex_index, v.vertex_index
    FROM x_chain_vertices v CROSS JOIN LATERAL unnest(v.tx_hashes) AS tx(hash) CROSS JOIN LATERAL (
      SELECT consumed_utxo_ids, vertex_index FROM primary_transactions t
      WHERE t.network_id = $1 AND t.tx_hash = tx.hash AND t.chain = 'X' LIMIT 1
    ) t CROSS JOIN LATERAL unnest(t.consumed_utxo_ids) AS spent(id) CROSS JOIN LATERAL (
      SELECT tx_hash FROM utxos u WHERE u.network_id = $1 AND u.utxo_id = spent.id AND u.created_on_chain = 'X' LIMIT 1
    ) u CROSS JOIN LATERAL (
      SELECT vertex_index FROM primary_transactions s WHERE s.network_id = $1 AND s.tx_hash = u.tx_hash AND s.chain = 'X' LIMIT 1
    ) s WHERE v.network_id = $1 AND v.vertex_index >= $2 AND v.vertex_index < $3
      AND t.vertex_index = v.vertex_index AND s.vertex_index <> v.vertex_index
  ORDER BY later`;

/** SQL condition: a block `b` of the P-Chain has the time of a clock. Before Banff, only its wrapper has one. */
const HAS_CLOCK = "(b.block_type LIKE 'Banff%' OR b.proposer_timestamp IS NOT NULL)";

/**
 * The earliest import of what each vertex exports. The time of a P-Chain's block before Banff is that of the last change of stakers.
 * So its import is at most as late as the next block with the time of a clock, and as the node's time of acceptance.
 */
const IMPORTED = `SELECT t.vertex_index AS vertex, min(CASE WHEN u.chain = 'C' THEN u.consumed_timestamp ELSE least(
      (SELECT CASE WHEN b.block_type LIKE 'Banff%' THEN b.block_timestamp ELSE b.proposer_timestamp END FROM primary_blocks b
        WHERE b.network_id = $1 AND b.chain = 'P' AND ${HAS_CLOCK}
          AND b.block_number >= greatest(u.consumed_block_number, f.block_number) ORDER BY b.block_number LIMIT 1),
      (SELECT j.accepted_at FROM primary_raw_blocks j WHERE j.network_id = $1 AND j.chain = 'P' AND j.seq = u.consumed_block_number)
    ) END) AS time
  FROM utxos u JOIN primary_transactions t ON t.network_id = $1 AND t.chain = 'X' AND t.tx_hash = u.tx_hash,
    (SELECT min(b.block_number) AS block_number FROM primary_blocks b WHERE b.network_id = $1 AND b.chain = 'P' AND ${HAS_CLOCK}) f
  WHERE u.network_id = $1 AND u.created_on_chain = 'X' AND u.chain <> 'X' AND u.created_timestamp IS NOT NULL
    AND u.consumed_timestamp IS NOT NULL AND t.vertex_index IS NOT NULL
  GROUP BY 1`;

/** The latest export of what each vertex imports. */
const EXPORTED = `SELECT t.vertex_index AS vertex, max(greatest(u.created_timestamp, b.proposer_timestamp)) AS time
  FROM utxos u JOIN primary_transactions t ON t.network_id = $1 AND t.chain = 'X' AND t.tx_hash = u.consumed_tx_hash
    LEFT JOIN primary_blocks b ON b.network_id = $1 AND b.chain = 'P' AND u.created_on_chain = 'P'
      AND b.block_number = u.created_block_number
  WHERE u.network_id = $1 AND u.created_on_chain <> 'X' AND u.chain = 'X' AND u.created_timestamp IS NOT NULL
    AND t.vertex_index IS NOT NULL
  GROUP BY 1`;

const BLOCKS = `SELECT
    (SELECT block_timestamp FROM primary_blocks WHERE network_id = $1 AND chain = 'X' AND block_number = 0) AS first,
    (SELECT block_timestamp FROM primary_blocks WHERE network_id = $1 AND chain = 'X' AND block_number = 1) AS second,
    (SELECT v.vertex_index FROM x_chain_vertices v JOIN primary_blocks b ON b.network_id = $1 AND b.chain = 'X'
      AND b.block_number = 0 AND b.parent_hash = v.vertex_hash WHERE v.network_id = $1) AS stop`;

interface TimeRow {
  readonly vertex: string;
  readonly time: string | null;
}

/** Reads what the indexed chains prove about the times of the `count` vertices. Block 0 must be indexed. */
export async function loadVertexFacts(
  session: Session,
  { networkId, genesis }: Pick<NetworkFacts, "networkId" | "genesis">,
  count: number,
): Promise<VertexFacts> {
  const [blocks] = await session.query<Record<"first" | "second" | "stop", string | null>>(BLOCKS, [networkId]);
  return {
    count,
    ...(await loadAccepted(session, networkId, count)),
    ...(await loadPairs(session, networkId, count)),
    exported: await loadTimes(session, EXPORTED, networkId, new Float64Array(count).fill(Number.NEGATIVE_INFINITY)),
    imported: await loadTimes(session, IMPORTED, networkId, new Float64Array(count).fill(Number.POSITIVE_INFINITY)),
    genesisTime: genesis.timestamp,
    firstBlockTime: Number(blocks?.first),
    secondBlockTime: Number(blocks?.second ?? Number.POSITIVE_INFINITY),
    stopVertex: Number(blocks?.stop ?? -1),
  };
}

/** Acceptance times never decrease in the order of the index, and neither do those of the file. */
async function loadAccepted(session: Session, networkId: number, count: number) {
  const accepted = new Float64Array(count);
  const known = new Float64Array(count).fill(Number.NaN);
  let lastAccepted = 0;
  let lastKnown = 0;
  for (let from = 0; from < count; from += PAGE)
    for (const { vertex, time, isKnown } of await session.query<TimeRow & { isKnown: boolean }>(ACCEPTED, [
      networkId,
      from,
      from + PAGE,
    ])) {
      if (isKnown) lastKnown = Math.max(lastKnown, Number(time));
      else lastAccepted = Math.max(lastAccepted, Number(time));
      if (isKnown) known[Number(vertex)] = lastKnown;
      accepted[Number(vertex)] = lastAccepted;
    }
  return { accepted, known };
}

async function loadPairs(session: Session, networkId: number, count: number) {
  const earlier: Int32Array[] = [];
  const later: Int32Array[] = [];
  for (let from = 0; from < count; from += PAGE) {
    const pairs = await session.query<{ earlier: string; later: string }>(PAIRS, [networkId, from, from + PAGE]);
    earlier.push(Int32Array.from(pairs, (pair) => Number(pair.earlier)));
    later.push(Int32Array.from(pairs, (pair) => Number(pair.later)));
  }
  return { earlier: concatenated(earlier), later: concatenated(later) };
}

function concatenated(pages: readonly Int32Array[]): Int32Array {
  const all = new Int32Array(pages.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const page of pages) {
    all.set(page, at);
    at += page.length;
  }
  return all;
}

async function loadTimes(session: Session, statement: string, networkId: number, times: Float64Array) {
  for (const { vertex, time } of await session.query<TimeRow>(statement, [networkId]))
    if (time !== null) times[Number(vertex)] = Number(time);
  return times;
}
