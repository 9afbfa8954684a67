import { Failure } from "./errors.ts";

/** The size of an answer. A row or value that the answer repeats counts each time. */
export interface Cost {
  /** Items of lists of objects. */
  readonly rows: number;
  /** Values of fields, of all rows. */
  readonly values: number;
}

const LIMITS: Cost = { rows: 100_000, values: 2_000_000 };
const LIMIT_ENTRIES = Object.entries(LIMITS) as readonly [keyof Cost, number][];

/** `OPERATION_TOO_COMPLEX` if an answer of that cost exceeds a limit, else null. `explain` ends the message: it gets the count that exceeds the limit. */
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
