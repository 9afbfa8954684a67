import { formatCount } from "../../../core/cost.ts";
import type { Failure } from "../../../core/errors.ts";
import { tooComplex } from "./too-complex.ts";

/** Subgraphs read every item of a list before they apply the limit of that list. */
const MAX_ITEMS = 5_000;

/** `OPERATION_TOO_COMPLEX` if a list in the variables has too many items, else null. The token limit bounds lists in documents. */
export function checkListLengths(variables: Readonly<Record<string, unknown>>): Failure | null {
  for (const name in variables) {
    const length = longestList(variables[name]);
    if (length > MAX_ITEMS)
      return tooComplex(
        `a list may have at most ${formatCount(MAX_ITEMS)} items, a list in the variable ${name} has ${formatCount(length)}`,
      );
  }
  return null;
}

/** The length of a list or of the longest list in an object. */
function longestList(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let longest = 0;
  if (Array.isArray(value)) {
    if (value.length > MAX_ITEMS) return value.length;
    longest = value.length;
  }
  for (const item of Object.values(value)) longest = Math.max(longest, longestList(item));
  return longest;
}
