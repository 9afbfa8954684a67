import { descending, type Keyset } from "../../shared/rows/keyset.ts";
import { UTXO_COLUMNS } from "./rows.ts";

/** The order of outputs: newest first. */
export const UTXO_ORDER = descending({ created_timestamp: "bigint", utxo_id: "bytea" });

/** Number of the first parameter of the position. */
export const POSITION_AT = 6;

/**
 * IDs of a page of the outputs of an address: `$1` network, `$2` address, `$3` chains, `$4` states, `$5` limit, then the
 * position. Those with one owner are a range of an index for each chain and state, those with several a range of the table of owners; they are
 * merged.
 */
export function utxoPositions({ after, orderBy }: Keyset): string {
  const page = `${after()} ORDER BY ${orderBy()} LIMIT $5`;
  const owned = (isInIndex: string, state: string) => `(SELECT t.created_timestamp, t.utxo_id FROM utxos t
      WHERE t.network_id = $1 AND t.addresses = ARRAY[$2::bytea] AND t.chain = c.chain AND ${isInIndex}
        AND ${state} = ANY ($4::bool[]) AND ${page})`;
  return `SELECT t.created_timestamp, t.utxo_id FROM unnest($3::text[]) AS c(chain), LATERAL (
      ${owned("cardinality(t.addresses) = 1 AND t.consumed_timestamp IS NULL", "false")}
      UNION ALL ${owned("array_length(t.addresses, 1) = 1 AND t.consumed_timestamp IS NOT NULL", "true")}
      UNION ALL (SELECT t.* FROM unnest($4::bool[]) AS s(is_spent), LATERAL (
        SELECT t.created_timestamp, t.utxo_id FROM utxo_owners t
        WHERE t.network_id = $1 AND t.address = $2 AND t.chain = c.chain AND t.is_spent = s.is_spent AND ${page}
      ) t)
    ) t ORDER BY ${orderBy()} LIMIT $5`;
}

/** Statement for a page, with the same parameters. */
export const utxosStatement = (keyset: Keyset): string => `SELECT ${UTXO_COLUMNS} FROM (
    SELECT found.utxo_id AS id FROM (${utxoPositions(keyset)}) found
  ) page, LATERAL (
    SELECT * FROM utxos t WHERE t.network_id = $1 AND t.utxo_id = page.id LIMIT 1
  ) t ORDER BY ${keyset.orderBy()}`;
