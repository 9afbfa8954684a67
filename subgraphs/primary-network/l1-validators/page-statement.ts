import type { Keyset } from "../../shared/rows/keyset.ts";
import { isInRange, type L1ValidatorOrder } from "./order.ts";
import { COLUMNS } from "./rows.ts";

/** What a page is read from: all validators of the network, or those with some validation IDs, nodes or subnets. */
export type L1Scope = "network" | "ids" | "nodes" | "subnets";

/** The column of the values of a scope. */
const SCOPE_COLUMNS = { ids: "validation_id", nodes: "node_id", subnets: "subnet_id" } as const;

/** Number of the first parameter of the position. */
export const L1_POSITION_AT = 2;

/**
 * Statement for a page and the block height that it reflects; without matches, one row with the height alone. `$1` network, `$2` and `$3`
 * position, `$4` limit, `$5` and `$6` states (whether removed, whether active), `$7` first value of the order, `$8` value after the last one,
 * `$9` values of the scope, `$10` subnets and `$11` node that the validators must have (null: any). The rows of each state, and of each value,
 * are one range of an index; those of all are merged.
 */
export function l1PageStatement(scope: L1Scope, order: L1ValidatorOrder, { after, orderBy }: Keyset): string {
  const names: Readonly<Record<string, string>> = {
    creation_timestamp: '"creationTimestamp"',
    weight: "weight",
    end_accumulated_fee: '"endAccumulatedFee"',
    validator_seq: '"validatorSeq"',
  };
  const byName = orderBy((name) => `v.${names[name]}`);
  const values = scope === "network" ? "" : "CROSS JOIN unnest($9::bytea[]) AS k(value)";
  const isInScope = scope === "network" ? "" : `AND t.${SCOPE_COLUMNS[scope]} = k.value`;
  const isWanted =
    scope === "ids" || scope === "nodes"
      ? "AND ($10::bytea[] IS NULL OR t.subnet_id = ANY ($10)) AND ($11::bytea IS NULL OR t.node_id = $11)"
      : "";
  return `SELECT h.block_number AS "blockHeight", v.* FROM primary_heads h LEFT JOIN LATERAL (
      SELECT v.* FROM unnest($5::bool[], $6::bool[]) AS s(is_removed, is_active) ${values}, LATERAL (
        SELECT ${COLUMNS} FROM l1_validators t
        WHERE t.network_id = $1 AND t.is_removed = s.is_removed AND t.is_active = s.is_active ${isInScope} ${isWanted}
          AND ${isInRange(order, "$7", "$8")} AND ${after()}
        ORDER BY ${orderBy()} LIMIT $4
      ) v ORDER BY ${byName} LIMIT $4
    ) v ON true WHERE h.network_id = $1 AND h.chain = 'P' ORDER BY ${byName}`;
}
