import { type Database, prepared } from "../../../core/database.ts";

/** A sum over every staker of a network is not made for each page. */
const FRESH_SECONDS = 10;

/** What all validators and delegators of a subnet weigh together. */
export interface StakeTotals {
  /** By the subnet's id in `0x` hex; subnets that nobody validates are left out. At most 10 s old. */
  of(networkId: string): Promise<ReadonlyMap<string, bigint>>;
}

/** Validators of an L1 count as long as they are in its set, whether they can pay or not. */
const TOTALS = `SELECT subnet_id, sum(weight) AS weight FROM (
    SELECT subnet_id, weight FROM stakers
      WHERE network_id = $1 AND kind IN ('VALIDATOR', 'DELEGATOR') AND status = 'ACTIVE'
    UNION ALL SELECT subnet_id, weight FROM l1_validators WHERE network_id = $1 AND NOT is_removed
  ) s GROUP BY subnet_id`;

export function createStakeTotals({ pool }: Pick<Database, "pool">, nowSeconds: () => number): StakeTotals {
  const read = prepared<{ subnet_id: string; weight: string }>(pool, "stake-totals", TOTALS);
  const known = new Map<string, { readonly at: number; readonly totals: Promise<ReadonlyMap<string, bigint>> }>();
  return {
    async of(networkId) {
      const last = known.get(networkId);
      if (last && Math.abs(nowSeconds() - last.at) < FRESH_SECONDS) return last.totals;
      const totals = read([networkId]).then(
        (rows) => new Map(rows.map(({ subnet_id, weight }) => [subnet_id, BigInt(weight)])),
      );
      known.set(networkId, { at: nowSeconds(), totals });
      totals.catch(() => known.delete(networkId));
      return totals;
    },
  };
}

/** `part` of `whole` in percent, cut after eight digits; 0 of nothing. */
export function percentOf(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number((part * 10n ** 10n) / whole) / 10 ** 8;
}
