import { Failure } from "../errors/errors.ts";

/** The size of a result. A row or value that occurs several times is counted each time. */
export interface Cost {
  /** Items of lists of objects. */
  readonly rows: number;
  /** Values of fields, of all rows. */
  readonly values: number;
}

/** Limits of an answer. */
export const MAX_COST: Cost = { rows: 100_000, values: 2_000_000 };
const LIMIT_ENTRIES = Object.entries(MAX_COST) as readonly [keyof Cost, number][];

/** A row counts as this number of values, where one number stands for the size of a result. */
export const VALUES_PER_ROW = 10;

/** A value that needs a call to a chain's node counts as this number of values. */
export const NODE_CALL_VALUES = 1_000;
/** The number of a list's items, for which up to 1,000 entries of an index are read, counts as this number of values. */
export const COUNT_VALUES = 100;
/** An aggregation of signatures, for which all validators of a subnet are asked, counts as this number of values. */
export const AGGREGATION_VALUES = 97_000;

/**
 * Returns the error `OPERATION_TOO_COMPLEX` if a result of this size exceeds a limit, else null. `explain` returns the end of
 * the message for the count that exceeds the limit.
 */
export function checkCost(cost: Cost, explain: (count: string) => string): Failure | null {
  for (const [name, limit] of LIMIT_ENTRIES) {
    const count = cost[name];
    if (count > limit)
      return new Failure(
        "OPERATION_TOO_COMPLEX",
        `an answer may have at most ${formatCount(limit)} ${name}, ${explain(`${formatCount(count)} ${name}`)}`,
      );
  }
  return null;
}

/** A count with thousands separators, such as `2,000,000`. */
export const formatCount = (count: number): string => count.toLocaleString("en-US", { maximumFractionDigits: 0 });
