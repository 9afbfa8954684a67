import type { Session } from "../../../shared/writer.ts";
import type { NetworkFacts } from "../../network/network.ts";
import { recomputeXActivity } from "../store/activity/x-chain-activity.ts";
import type { VertexTimes } from "./bounds.ts";

/** Vertices whose times are written by one statement. */
const PAGE = 20_000;

const OF_VERTICES = `UPDATE x_chain_vertices v SET vertex_timestamp = c.time, earliest_timestamp = c.earliest
  FROM unnest($2::bigint[], $3::bigint[], $4::bigint[]) AS c(vertex_index, time, earliest)
  WHERE v.network_id = $1 AND v.vertex_index = c.vertex_index
    AND (v.vertex_timestamp, v.earliest_timestamp) IS DISTINCT FROM (c.time, c.earliest)`;

/** SQL: the transactions `t` of vertices. */
const IN_VERTICES = "t.network_id = $1 AND t.chain = 'X' AND t.vertex_index IS NOT NULL";

/** Statements that take over the times of vertices into all other rows that have them. */
const OF_OTHER_ROWS = [
  `UPDATE primary_transactions t SET block_timestamp = v.vertex_timestamp FROM x_chain_vertices v
   WHERE ${IN_VERTICES} AND v.network_id = $1 AND v.vertex_index = t.vertex_index AND t.block_timestamp <> v.vertex_timestamp`,
  `UPDATE primary_address_transactions a SET block_timestamp = t.block_timestamp FROM primary_transactions t
   WHERE ${IN_VERTICES} AND a.network_id = $1 AND a.chain = 'X' AND a.tx_seq = t.tx_seq
     AND a.block_timestamp <> t.block_timestamp`,
  `UPDATE utxos u SET created_timestamp = t.block_timestamp FROM primary_transactions t
   WHERE ${IN_VERTICES} AND u.network_id = $1 AND u.created_on_chain = 'X' AND u.tx_hash = t.tx_hash
     AND u.created_timestamp <> t.block_timestamp`,
  `UPDATE utxos u SET consumed_timestamp = t.block_timestamp FROM primary_transactions t
   WHERE ${IN_VERTICES} AND u.network_id = $1 AND u.chain = 'X' AND u.consumed_tx_hash = t.tx_hash
     AND u.consumed_timestamp <> t.block_timestamp`,
  `UPDATE utxo_owners o SET created_timestamp = u.created_timestamp FROM utxos u
   WHERE u.network_id = $1 AND u.created_on_chain = 'X' AND o.network_id = $1 AND o.utxo_id = u.utxo_id
     AND o.created_timestamp <> u.created_timestamp`,
  `UPDATE primary_assets a SET create_timestamp = t.block_timestamp FROM primary_transactions t
   WHERE ${IN_VERTICES} AND a.network_id = $1 AND a.asset_id = t.tx_hash AND a.create_timestamp <> t.block_timestamp`,
];

const STATE = `INSERT INTO x_chain_vertex_times (network_id, includes_c_chain, estimated_count, exact_from, tx_count)
  SELECT $1, $2, $3, $4, count(*) FROM primary_transactions t WHERE ${IN_VERTICES}
  ON CONFLICT (network_id) DO UPDATE SET includes_c_chain = excluded.includes_c_chain,
    estimated_count = excluded.estimated_count, exact_from = excluded.exact_from, tx_count = excluded.tx_count`;

/** Writes the times of the vertices, and of everything in them, and notes that they are determined. */
export async function storeVertexTimes(
  session: Session,
  network: Pick<NetworkFacts, "networkId" | "avaxAssetId">,
  { times, earliest }: VertexTimes,
  includesCChain: boolean,
): Promise<void> {
  const { networkId } = network;
  for (let from = 0; from < times.length; from += PAGE) {
    const page = times.subarray(from, from + PAGE);
    await session.query(OF_VERTICES, [
      networkId,
      Array.from(page, (_, i) => from + i),
      Array.from(page),
      Array.from(earliest.subarray(from, from + PAGE), (time) => (Number.isNaN(time) ? null : time)),
    ]);
  }
  for (const statement of OF_OTHER_ROWS) await session.query(statement, [networkId]);
  await recomputeXActivity(session, network);
  const estimated = times.filter((_, i) => !Number.isNaN(earliest[i]));
  const exactFrom = estimated.reduce((latest, time) => Math.max(latest, time), 0);
  await session.query(STATE, [networkId, includesCChain, estimated.length, exactFrom]);
}
