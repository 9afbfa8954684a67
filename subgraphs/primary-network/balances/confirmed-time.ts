import { INEXACT_VERTICES, type InexactVertices } from "../../../core/networks/vertex-times.ts";

/** The last time for which balances are complete, and why they may be inexact at the asked time; null if they are exact. */
export interface ConfirmedTime {
  readonly time: string;
  readonly isProvisional: InexactVertices["isProvisional"] | null;
  readonly vertexHash: string | null;
  readonly earliest: string | null;
  readonly latest: string | null;
}

/**
 * The last time for which balances of the chain `$2` of network `$1` are complete: the latest of three times. These are the time
 * of the chain's last indexed block; the last time at which the indexer found that this block is the node's last accepted block;
 * and, if the chain follows its node or its state is not known, the time of the last indexed block of any chain of the network.
 * So the time of a chain without new blocks advances. The other parameters and columns are those of `INEXACT_VERTICES`.
 */
export const CONFIRMED_TIME = `SELECT greatest(h.block_timestamp, p.head_seen_at,
    CASE WHEN p.state IS NULL OR p.state = 'FOLLOWING'
      THEN (SELECT max(o.block_timestamp) FROM primary_heads o WHERE o.network_id = $1) END) AS time, i.*
  FROM primary_heads h LEFT JOIN primary_progress p USING (network_id, chain) LEFT JOIN (${INEXACT_VERTICES}) i ON true
  WHERE h.network_id = $1 AND h.chain = $2`;
