import { Failure } from "../errors/errors.ts";
import { formatId } from "../formats/id-text.ts";

/** Why the times of an X-Chain's vertices do not allow an exact answer. */
export interface InexactVertices {
  /** True if the times are provisional: they are determined once P, X and C are indexed far enough. */
  readonly isProvisional: boolean;
  /** A vertex with a transaction of the addresses, in `0x` or `\x` hex. Null if none is known. */
  readonly vertexHash: string | null;
  /** Between these times, in seconds, it was accepted. */
  readonly earliest: string | null;
  readonly latest: string | null;
}

/**
 * Statement that returns a row if it is not certain which transactions of vertices the addresses `$3` had at each of the times `$4`,
 * on chain `$2` of network `$1`. Each time counts itself. `$5` has the types of the transactions that matter; null: all.
 */
export const INEXACT_VERTICES = `SELECT d.network_id IS NULL AS "isProvisional", u.vertex_hash AS "vertexHash",
    u.earliest_timestamp AS earliest, u.vertex_timestamp AS latest
  FROM (SELECT EXISTS (SELECT FROM x_chain_vertices WHERE network_id = $1) AS has_vertices) n
    LEFT JOIN x_chain_vertex_times d ON d.network_id = $1
    LEFT JOIN LATERAL (
      SELECT v.vertex_hash, v.earliest_timestamp, v.vertex_timestamp
      FROM unnest($4::bigint[]) AS asked(time) CROSS JOIN unnest($3::bytea[]) AS o(address) CROSS JOIN LATERAL (
        SELECT a.tx_seq FROM primary_address_transactions a
        WHERE a.network_id = $1 AND a.chain = 'X' AND a.address = o.address
          AND ($5::text[] IS NULL OR a.tx_type = ANY ($5))
          AND (d.network_id IS NULL OR a.tx_seq < d.tx_count AND a.block_timestamp > asked.time)
      ) a CROSS JOIN LATERAL (
        SELECT t.vertex_index FROM primary_transactions t
        WHERE t.network_id = $1 AND t.chain = 'X' AND t.tx_seq = a.tx_seq LIMIT 1
      ) t JOIN x_chain_vertices v ON v.network_id = $1 AND v.vertex_index = t.vertex_index
      WHERE d.network_id IS NULL OR v.earliest_timestamp <= asked.time
      LIMIT 1
    ) u ON d.network_id IS NULL OR d.exact_from > ANY ($4::bigint[])
  WHERE n.has_vertices AND (u.vertex_hash IS NOT NULL OR d.network_id IS NULL AND $2::text = 'X')`;

/** The failure of a question about a time. `asked` is the parameter with its value. */
export function inexactTime(asked: string, { isProvisional, vertexHash, earliest, latest }: InexactVertices): Failure {
  if (isProvisional)
    return new Failure(
      "UNAVAILABLE",
      "the times of the X-Chain's vertices are not determined yet: for that, P-, X- and C-Chain must be indexed up to the time of X-Chain block 0",
    );
  return new Failure(
    "INVALID_PARAMETER",
    `${asked} cannot be answered exactly: vertex ${formatId((vertexHash ?? "").slice(2))} has a transaction of these addresses, and was accepted between ${earliest} and ${latest}, but the indexed node does not know when. Give a time before ${earliest} or after ${latest}, or let the operator set primaryNetworks[].vertexTimesFile and run moraine replay`,
  );
}
