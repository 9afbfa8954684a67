import { type Database, prepared } from "../../../core/database/database.ts";
import { createSharedReads } from "../../../core/work/shared-reads.ts";
import type { Work } from "../../../core/work/work.ts";

/** How long totals are reused: a network has thousands of subnets. */
const MAX_AGE_SECONDS = 10;

/** Total weight of the active validators and delegators of each subnet. */
export interface StakeTotals {
  /** By subnet ID in `0x` hex. Subnets without validators are left out. At most 10 seconds old. */
  of(networkId: string, work: Work): Promise<ReadonlyMap<string, bigint>>;
}

/** The indexer keeps them. All registered L1 validators count, including inactive ones. */
const TOTALS = `SELECT subnet_id, total_weight AS weight FROM subnet_totals WHERE network_id = $1 AND total_weight > 0`;

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
