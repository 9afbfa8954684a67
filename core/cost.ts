import { Failure } from "./errors.ts";

/** The size of a result. A row or value that occurs several times is counted each time. */
export interface Cost {
  /** Items of lists of objects. */
  readonly rows: number;
  /** Values of fields, of all rows. */
  readonly values: number;
}

const LIMITS: Cost = { rows: 100_000, values: 2_000_000 };
const LIMIT_ENTRIES = Object.entries(LIMITS) as readonly [keyof Cost, number][];

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
        `an answer may have at most ${formatted(limit)} ${name}, ${explain(`${formatted(count)} ${name}`)}`,
      );
  }
  return null;
}

const formatted = (count: number): string => count.toLocaleString("en-US", { maximumFractionDigits: 0 });
