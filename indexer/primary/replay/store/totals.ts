import { pgBytes } from "../../../shared/pg-bytes.ts";
import type { Session } from "../../../shared/writer.ts";
import { ZERO_ID } from "../../network/chains.ts";
import type { Batch } from "./batch.ts";

/** The rows that are counted: their table, their key, and SQL of their kind and status. */
const COUNTED = {
  stakers: { key: "tx_hash", kind: "kind", status: "status" },
  l1_validators: {
    key: "validation_id",
    kind: "'L1_VALIDATOR'",
    status: "CASE WHEN is_removed THEN 'REMOVED' WHEN is_active THEN 'ACTIVE' ELSE 'INACTIVE' END",
  },
} as const;
type CountedTable = keyof typeof COUNTED;

/** Adds stored rows to the totals of their subnets and to those of all subnets, which have an empty id; or subtracts them. */
function countStatement(table: CountedTable): string {
  const { key, kind, status } = COUNTED[table];
  return `INSERT INTO validator_totals (network_id, subnet_id, kind, status, validator_count, weight)
    SELECT $1, coalesce(subnet_id, ''), kind, status, $3::bigint * count(*), $3::bigint * sum(weight) FROM (
      SELECT subnet_id, ${kind} AS kind, ${status} AS status, weight FROM ${table} WHERE network_id = $1 AND ${key} = ANY ($2)
    ) t GROUP BY GROUPING SETS ((subnet_id, kind, status), (kind, status))
    ON CONFLICT (network_id, subnet_id, kind, status) DO UPDATE SET
      validator_count = validator_totals.validator_count + excluded.validator_count,
      weight = validator_totals.weight + excluded.weight`;
}

/** The totals do not depend on how blocks were divided into batches. */
const DELETE_EMPTY =
  "DELETE FROM validator_totals WHERE network_id = $1 AND (subnet_id = ANY ($2) OR subnet_id = '') AND validator_count = 0";

/** Computes the rows of subnets again from their totals. */
const REFRESH_SUBNETS = `INSERT INTO subnet_totals (network_id, subnet_id, subnet_seq, kind, validator_count, delegator_count, total_weight)
  SELECT $1, k.subnet_id, coalesce(s.subnet_seq, -1),
    CASE WHEN s.subnet_id IS NULL THEN 'PRIMARY' WHEN s.conversion_tx_hash IS NOT NULL THEN 'L1'
      WHEN s.transform_tx_hash IS NOT NULL THEN 'ELASTIC' ELSE 'PERMISSIONED' END,
    t.validators, t.delegators, t.weight
  FROM unnest($2::bytea[]) AS k(subnet_id) LEFT JOIN subnets s ON s.network_id = $1 AND s.subnet_id = k.subnet_id,
    LATERAL (
      SELECT coalesce(sum(validator_count) FILTER (WHERE kind <> 'DELEGATOR' AND status = 'ACTIVE'), 0) AS validators,
        coalesce(sum(validator_count) FILTER (WHERE kind = 'DELEGATOR' AND status = 'ACTIVE'), 0) AS delegators,
        coalesce(sum(v.weight) FILTER (WHERE status = 'ACTIVE' OR status = 'INACTIVE'), 0) AS weight
      FROM validator_totals v WHERE v.network_id = $1 AND v.subnet_id = k.subnet_id
    ) t
  WHERE s.subnet_id IS NOT NULL OR k.subnet_id = $3
  ON CONFLICT (network_id, subnet_id) DO UPDATE SET kind = excluded.kind, validator_count = excluded.validator_count,
    delegator_count = excluded.delegator_count, total_weight = excluded.total_weight`;

/** Subtracts the changed rows of a batch, before they are written. */
export async function subtractChanged(session: Session, networkId: number, batch: Batch): Promise<void> {
  await countChanged(session, networkId, batch, -1);
}

/** Adds the changed rows of a batch, after they were written, and what follows for their subnets. */
export async function addChanged(session: Session, networkId: number, batch: Batch): Promise<void> {
  await countChanged(session, networkId, batch, 1);
  const { stakers, l1_validators, subnets } = batch.changed;
  const changed = [stakers, l1_validators, subnets].flatMap((rows) => [...rows.values()]);
  const subnetIds = [...new Set(changed.map(({ subnet_id }) => subnet_id))].map(pgBytes);
  if (subnetIds.length === 0) return;
  await session.query(DELETE_EMPTY, [networkId, subnetIds]);
  await session.query(REFRESH_SUBNETS, [networkId, subnetIds, pgBytes(ZERO_ID)]);
}

async function countChanged(session: Session, networkId: number, { changed }: Batch, sign: 1 | -1): Promise<void> {
  for (const table of Object.keys(COUNTED) as CountedTable[]) {
    const keys = [...changed[table].keys()].map(pgBytes);
    if (keys.length > 0) await session.query(countStatement(table), [networkId, keys, sign]);
  }
}
