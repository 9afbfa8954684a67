import { type Database, prepared } from "../../../core/database/database.ts";
import { createSharedReads } from "../../../core/work/shared-reads.ts";
import type { Work } from "../../../core/work/work.ts";

/** How long totals are reused: summing all stakers of a network is too slow for each page. */
const MAX_AGE_SECONDS = 10;

/** Total weight of the active validators and delegators of each subnet. */
export interface StakeTotals {
  /** By subnet ID in `0x` hex. Subnets without validators are left out. At most 10 seconds old. */
  of(networkId: string, work: Work): Promise<ReadonlyMap<string, bigint>>;
}

/** All registered L1 validators count, including inactive ones. */
const TOTALS = `SELECT subnet_id, sum(weight) AS weight FROM (
    SELECT subnet_id, weight FROM stakers
      WHERE network_id = $1 AND kind IN ('VALIDATOR', 'DELEGATOR') AND status = 'ACTIVE'
    UNION ALL SELECT subnet_id, weight FROM l1_validators WHERE network_id = $1 AND NOT is_removed
  ) s GROUP BY subnet_id`;

export function createStakeTotals({ pool }: Pick<Database, "pool">, nowSeconds: () => number): StakeTotals {
  const rowsOf = prepared<{ subnet_id: string; weight: string }>(pool, "stake-totals", TOTALS);
  const known = new Map<string, { readonly at: number; readonly totals: ReadonlyMap<string, bigint> }>();
  const read = createSharedReads(async (networkId: string, work): Promise<ReadonlyMap<string, bigint>> => {
    const at = nowSeconds();
    const rows = await rowsOf([networkId], work);
    const totals = new Map(rows.map(({ subnet_id, weight }) => [subnet_id, BigInt(weight)]));
    known.set(networkId, { at, totals });
    return totals;
  });
  return {
    async of(networkId, work) {
      const last = known.get(networkId);
      const isFresh = last !== undefined && Math.abs(nowSeconds() - last.at) < MAX_AGE_SECONDS;
      return isFresh ? last.totals : read(networkId, work);
    },
  };
}
