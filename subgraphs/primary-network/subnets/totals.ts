import type { Database } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { createKeyedRows } from "../../shared/rows/keyed-rows.ts";
import { bytea } from "../../shared/rows/text-rows.ts";

interface SubnetKey {
  readonly networkId: string;
  /** `0x` hex. */
  readonly subnetId: string;
}

/** Counters of a subnet at the last indexed block. */
export interface SubnetTotals extends SubnetKey {
  readonly validatorCount: string;
  readonly delegatorCount: string;
  readonly totalWeight: string;
}

/** Returns a function that reads the counters of subnets, in any order. One statement for each network. */
export function createSubnetTotals({ pool }: Pick<Database, "pool">) {
  return createKeyedRows<{ [Name in keyof SubnetTotals]: SubnetTotals[Name] }, SubnetKey>(pool, {
    name: "subnet-totals-by-id",
    table: "subnet_totals",
    columns: `network_id AS "networkId", subnet_id AS "subnetId", validator_count AS "validatorCount",
      delegator_count AS "delegatorCount", total_weight AS "totalWeight"`,
    key: { network_id: "bigint", subnet_id: "bytea" },
    valuesOf: ({ networkId, subnetId }) => [networkId, bytea(subnetId)],
  }) satisfies (keys: readonly SubnetKey[], work: Work) => Promise<SubnetTotals[]>;
}
