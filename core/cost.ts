import { Failure } from "./errors.ts";

/** What an answer has, each thing counted as often as it stands in it. */
export interface Cost {
  /** Items of lists. */
  readonly rows: number;
  /** Values of fields, of all rows. */
  readonly values: number;
}

const MOST: Cost = { rows: 100_000, values: 2_000_000 };

/** Why an answer of that cost is not given; null when it is. `says` goes on after the limit. */
export function refusalOf(cost: Cost, says: (count: string) => string): Failure | null {
  for (const [name, most] of Object.entries(MOST) as [keyof Cost, number][]) {
    const count = cost[name];
    if (count > most)
      return new Failure(
        "OPERATION_TOO_COMPLEX",
        `an answer may have ${shown(most)} ${name}, ${says(`${shown(count)} ${name}`)}`,
      );
  }
  return null;
}

const shown = (count: number): string => count.toLocaleString("en-US", { maximumFractionDigits: 0 });
