import { registerEnumType } from "type-graphql";

export const ValidationStatus = {
  completed: "completed",
  active: "active",
  pending: "pending",
  removed: "removed",
} as const;
export type ValidationStatus = keyof typeof ValidationStatus;

registerEnumType(ValidationStatus, {
  name: "ValidationStatus",
  description: "Where a validation stands.",
  valuesConfig: {
    completed: { description: "It ended: its reward was decided, or, without rewards, its time is over." },
    active: { description: "It began, and its end is still to come." },
    pending: { description: "It is to begin later." },
    removed: { description: "It was taken off its subnet before its end." },
  },
});

export const DelegationStatus = { completed: "completed", active: "active", pending: "pending" } as const;
export type DelegationStatus = keyof typeof DelegationStatus;

registerEnumType(DelegationStatus, {
  name: "DelegationStatus",
  description: "Where a delegation stands.",
  valuesConfig: {
    completed: { description: "It ended: its reward was decided." },
    active: { description: "It began, and its end is still to come." },
    pending: { description: "It is to begin later." },
  },
});

export type StakerKind = "VALIDATOR" | "DELEGATOR";

interface StatusRow {
  readonly status: string;
  readonly isPermissioned: boolean;
  readonly startTimestamp: string;
  readonly endTimestamp: string;
}

/**
 * What a staker's row means at a time. The chain only moves when there is a block: a start that has passed counts though
 * no block has noticed it yet, and so does the end of who gets no reward. The end of others is when that is decided.
 */
export function statusAt(row: StatusRow, nowSeconds: number): ValidationStatus {
  const { status, isPermissioned, startTimestamp, endTimestamp } = row;
  if (status === "REMOVED") return "removed";
  if (status === "COMPLETED" || (isPermissioned && Number(endTimestamp) <= nowSeconds)) return "completed";
  return status === "PENDING" && Number(startTimestamp) > nowSeconds ? "pending" : "active";
}

/** SQL of the same of the row `t`, at the time `now`. */
export const statusSql = (now: string): string => `CASE
    WHEN t.status = 'REMOVED' THEN 'removed'
    WHEN t.status = 'COMPLETED' OR (t.is_permissioned AND t.end_timestamp <= ${now}) THEN 'completed'
    WHEN t.status = 'PENDING' AND t.start_timestamp > ${now} THEN 'pending'
    ELSE 'active' END`;

const ALL = ["COMPLETED", "ACTIVE", "PENDING", "REMOVED"];
/** Nothing is delegated to who gets no reward, and no delegation is removed: fewer rows can be of a status. */
const POSSIBLE: Readonly<Record<StakerKind, Readonly<Record<ValidationStatus, readonly string[]>>>> = {
  VALIDATOR: {
    completed: ["COMPLETED", "ACTIVE", "PENDING"],
    active: ["ACTIVE", "PENDING"],
    pending: ["PENDING"],
    removed: ["REMOVED"],
  },
  DELEGATOR: { completed: ["COMPLETED"], active: ["ACTIVE", "PENDING"], pending: ["PENDING"], removed: [] },
};

/** What the column of a row can be where its status is the one that is wanted; null: any. */
export function possibleStatuses(kind: StakerKind, wanted: ValidationStatus | null): readonly string[] {
  return wanted === null ? ALL : POSSIBLE[kind][wanted];
}
