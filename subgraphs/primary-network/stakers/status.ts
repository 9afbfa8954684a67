import { graphEnum } from "../../shared/schema/graph-enum.ts";

export const ValidationStatus = graphEnum({
  name: "ValidationStatus",
  description: "Status of a validation.",
  values: {
    completed: "Ended: the reward is decided or, for a validation without rewards, the end time has passed.",
    active: "The start time has passed, and the stake has not ended.",
    pending: "The start time is in the future.",
    removed: "Removed from its subnet before its end time.",
  },
});
export type ValidationStatus = (typeof ValidationStatus)[string];

export const DelegationStatus = graphEnum({
  name: "DelegationStatus",
  description: "Status of a delegation.",
  values: {
    completed: "Ended: the reward is decided.",
    active: "The start time has passed, and the stake has not ended.",
    pending: "The start time is in the future.",
  },
});
export type DelegationStatus = (typeof DelegationStatus)[string];

export type StakerKind = "VALIDATOR" | "DELEGATOR";

interface StatusRow {
  readonly status: string;
  readonly isPermissioned: boolean;
  readonly startTimestamp: string;
  readonly endTimestamp: string;
}

/**
 * Status of a staker at a time. A row changes only when a block is indexed. Therefore a staker counts as active from its start
 * time, and a validator without rewards as completed from its end time, even before a block reflects this. Any other staker
 * ends when its reward is decided.
 */
export function statusAt(row: StatusRow, nowSeconds: number): ValidationStatus {
  const { status, isPermissioned, startTimestamp, endTimestamp } = row;
  if (status === "REMOVED") return "removed";
  if (status === "COMPLETED" || (isPermissioned && Number(endTimestamp) <= nowSeconds)) return "completed";
  return status === "PENDING" && Number(startTimestamp) > nowSeconds ? "pending" : "active";
}

/** SQL of `statusAt` for the row `t` at the time `now`. */
export const statusSql = (now: string): string => `CASE
    WHEN t.status = 'REMOVED' THEN 'removed'
    WHEN t.status = 'COMPLETED' OR (t.is_permissioned AND t.end_timestamp <= ${now}) THEN 'completed'
    WHEN t.status = 'PENDING' AND t.start_timestamp > ${now} THEN 'pending'
    ELSE 'active' END`;

const ALL = ["COMPLETED", "ACTIVE", "PENDING", "REMOVED"];
/**
 * Values of the column `status` in rows that can have an API status. Permissioned validators have no delegators, and delegations
 * are never removed.
 */
const POSSIBLE: Readonly<Record<StakerKind, Readonly<Record<ValidationStatus, readonly string[]>>>> = {
  VALIDATOR: {
    completed: ["COMPLETED", "ACTIVE", "PENDING"],
    active: ["ACTIVE", "PENDING"],
    pending: ["PENDING"],
    removed: ["REMOVED"],
  },
  DELEGATOR: { completed: ["COMPLETED"], active: ["ACTIVE", "PENDING"], pending: ["PENDING"], removed: [] },
};

/** Values of the column `status` in rows that can have the wanted API status; null: any status. */
export function possibleStatuses(kind: StakerKind, wanted: ValidationStatus | null): readonly string[] {
  return wanted === null ? ALL : POSSIBLE[kind][wanted];
}

/** SQL of `possibleStatuses` for the wanted status that `wanted` is; empty: any. */
export function possibleStatusesSql(kind: StakerKind, wanted: string): string {
  const cases = Object.entries(POSSIBLE[kind]).map(([status, values]) => `WHEN '${status}' THEN '{${values}}'::text[]`);
  return `CASE ${wanted} ${cases.join(" ")} ELSE '{${ALL}}'::text[] END`;
}
