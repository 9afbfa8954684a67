import { prepared } from "../../../core/database/database.ts";
import type { StatementPool } from "../../../core/database/statement-pool.ts";
import type { Work } from "../../../core/work/work.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { StakerFilter } from "./rows.ts";
import { statusSql } from "./status.ts";

/** Number and weight of all stakers of a list. */
export interface StakerTotals {
  readonly count: string;
  readonly weight: string;
}

/** Description of the field `totalWeight` of connections. */
export const TOTAL_WEIGHT =
  "Weight of all stakers of the list, in the smallest unit of the staked asset. Null for a list below another object, and for one by nodes, by a range of values or by delegation fee: no counter has it.";

/** The totals of all subnets together have an empty id. */
const ALL_SUBNETS = "0x";

/** The stakers of a list with a status whose status changes at a time, not with a block: the next block shows the new one. */
const shifting = (
  status: string,
  isDue: string,
  ofSubnet: boolean,
): string => `SELECT lower(t.status) AS own, ${statusSql("$4::bigint")} AS current, t.weight
    FROM stakers t WHERE t.network_id = $1 AND t.kind = $2 ${ofSubnet ? "AND t.subnet_id = $5" : ""} AND t.status = '${status}' AND ${isDue}`;

/** Counters of the rows' statuses, corrected by the stakers whose status has changed since the last block. */
const totalsStatement = (ofSubnet: boolean): string => `WITH shifted AS (
    ${shifting("ACTIVE", "t.end_timestamp <= $4::bigint", ofSubnet)}
    UNION ALL ${shifting("PENDING", "t.start_timestamp <= $4::bigint", ofSubnet)}
  )
  SELECT coalesce(v.count, 0) + coalesce(s.count, 0) AS count, coalesce(v.weight, 0) + coalesce(s.weight, 0) AS weight
  FROM (
    SELECT sum(validator_count) AS count, sum(weight) AS weight FROM validator_totals
    WHERE network_id = $1 AND kind = $2 AND subnet_id = $5 AND ($3::text IS NULL OR lower(status) = $3)
  ) v, (
    SELECT count(*) FILTER (WHERE current = $3) - count(*) FILTER (WHERE own = $3) AS count,
      coalesce(sum(weight) FILTER (WHERE current = $3), 0) - coalesce(sum(weight) FILTER (WHERE own = $3), 0) AS weight FROM shifted
  ) s`;

/** Returns a function that reads the totals of a list of a network or of a subnet in one statement; null for any other list. */
export function createStakerTotals(pool: StatementPool) {
  const statement = (ofSubnet: boolean) =>
    prepared<{ count: string; weight: string }>(
      pool,
      `stakers-totals-of-${ofSubnet ? "subnet" : "network"}`,
      totalsStatement(ofSubnet),
    );
  const ofNetwork = statement(false);
  const ofSubnet = statement(true);
  return async (filter: StakerFilter, now: number, work: Work): Promise<StakerTotals | null> => {
    const { networkId, kind, owners, nodes, subnet, status, order } = filter;
    const { field, from, to } = order;
    if (owners || nodes || from !== null || to !== null || field === "DELEGATION_FEE") return null;
    const read = subnet ? ofSubnet : ofNetwork;
    const [row] = await read([networkId, kind, status, now, bytea(subnet ?? ALL_SUBNETS)], work);
    return row ?? null;
  };
}
