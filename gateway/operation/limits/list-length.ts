import type { Failure } from "../../../core/errors/errors.ts";
import { formatCount } from "../../../core/graph/cost.ts";
import { tooComplex } from "./too-complex.ts";

/** Subgraphs read every item of a list before they apply the limit of that list. */
const MAX_ITEMS = 5_000;
/** Levels of lists and objects in a variable. No input type of the graph has more than a few. */
const MAX_LEVELS = 100;

/**
 * `OPERATION_TOO_COMPLEX` if a list in the variables has too many items, or if a variable has too many levels, else null. The token limit
 * bounds lists in documents.
 */
export function checkListLengths(variables: Readonly<Record<string, unknown>>): Failure | null {
  for (const name in variables) {
    const length = longestList(variables[name], 0);
    if (length === Number.POSITIVE_INFINITY)
      return tooComplex(`a variable may have at most ${MAX_LEVELS} levels of lists and objects, ${name} has more`);
    if (length > MAX_ITEMS)
      return tooComplex(
        `a list may have at most ${formatCount(MAX_ITEMS)} items, a list in the variable ${name} has ${formatCount(length)}`,
      );
  }
  return null;
}

/** The length of a list or of the longest list in an object; infinite if there are too many levels. */
function longestList(value: unknown, levels: number): number {
  if (typeof value !== "object" || value === null) return 0;
  if (levels >= MAX_LEVELS) return Number.POSITIVE_INFINITY;
  let longest = 0;
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) return value.length;
    longest = value.length;
  }
  for (const item of Object.values(value)) longest = Math.max(longest, longestList(item, levels + 1));
  return longest;
}
