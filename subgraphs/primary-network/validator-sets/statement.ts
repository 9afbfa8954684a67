import { ascending, endsOf, keysetOf, of } from "../../shared/rows/keyset.ts";

const ORDER = ascending({ entry_id: "bytea" });

/** Ids before the first and after the last entry of every set. */
export const ENDS = endsOf(ORDER);

/** Rows of an entry `w` of the validator set of subnet `k`. */
const ofEntry = (entry: string, subnet = "k.subnet_id"): string =>
  `validator_weights w WHERE w.network_id = $1 AND w.subnet_id = ${subnet} AND w.entry_id = ${entry}`;

/** The row of an entry that is valid after the block of `k`; no row if the entry is not in the set then. */
const validRow = (entry: string, subnet?: string): string => `SELECT * FROM (
        SELECT w.weight, w.node_id, w.bls_public_key, w.until_block FROM ${ofEntry(entry, subnet)}
          AND w.block_number <= k.block_number ORDER BY w.block_number DESC LIMIT 1
      ) newest WHERE newest.until_block > k.block_number`;

/** SQL of the id of the primary network. */
const PRIMARY_NETWORK = "decode(repeat('00', 32), 'hex')";

/**
 * The next members of validator sets after blocks, by ascending bytes of their ids. Each step goes to the next entry that was ever in the
 * set of the subnet, and reads its row at the block: two reads of an index. There are at most `maxEntries` steps. If they do not fill the
 * page, `lastCandidate` is the entry after which the list continues.
 */
export function validatorSetStatement(maxEntries: number, isBackward: boolean): string {
  const following = keysetOf(ORDER, ["e.entry_id"], isBackward);
  return `SELECT k.request, h.block_number AS head, page.*
  FROM unnest($2::bytea[], $3::bigint[], $4::bytea[], $5::int[]) WITH ORDINALITY
      AS k(subnet_id, block_number, entry_id, size, request)
    JOIN primary_heads h ON h.network_id = $1 AND h.chain = 'P'
    CROSS JOIN LATERAL (
      WITH RECURSIVE entries(entry_id, considered, found, weight, node_id, bls_public_key) AS (
        SELECT k.entry_id, 0, 0, NULL::numeric, NULL::bytea, NULL::bytea
        UNION ALL
        SELECT following.entry_id, e.considered + 1, e.found + (held.weight IS NOT NULL)::int, held.weight, held.node_id,
          held.bls_public_key
        FROM entries e
          CROSS JOIN LATERAL (SELECT w.entry_id FROM validator_weights w
            WHERE w.network_id = $1 AND w.subnet_id = k.subnet_id AND ${following.after(of("w"))}
            ORDER BY ${following.orderBy(of("w"))} LIMIT 1) following
          LEFT JOIN LATERAL (${validRow("following.entry_id")}) held ON true
        WHERE e.considered < ${maxEntries} AND e.found < k.size)
      SELECT e.entry_id, e.weight::text, e.node_id AS "nodeId",
        coalesce(e.bls_public_key, (SELECT p.bls_public_key FROM (${validRow("e.node_id", PRIMARY_NETWORK)}) p)) AS "blsPublicKey",
        last.entry_id AS "lastCandidate"
      FROM (SELECT) one
        LEFT JOIN (SELECT entry_id FROM entries WHERE considered = ${maxEntries} AND found < k.size) last ON true
        LEFT JOIN entries e ON e.weight IS NOT NULL
    ) page
  ORDER BY k.request, ${following.orderBy(of("page"))}`;
}
