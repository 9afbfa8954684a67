import { Failure } from "../../core/errors/errors.ts";
import type { JsonText } from "../../core/graph/answer-text.ts";
import { type Cost, checkCost, formatCount } from "../../core/graph/cost.ts";
import { countRejection } from "../../core/observability/rejections.ts";

/** Makes the error of an operation that exceeds a limit, and counts the refusal. */
export function tooComplex(message: string): Failure {
  countRejection("too_complex");
  return new Failure("OPERATION_TOO_COMPLEX", message);
}

/** Throws `OPERATION_TOO_COMPLEX` if lists in the variables are too long, or if the answer may be too large. */
export function checkOperation(cost: Cost, variables: Readonly<Record<string, unknown>>): void {
  const tooLong = checkListLengths(variables);
  if (tooLong) throw tooLong;
  const failure = checkCost(cost, (count) => `this operation asks for up to ${count}`);
  if (!failure) return;
  countRejection("too_complex");
  throw failure;
}

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

/** 2^26 UTF-16 code units. The limit exists because an answer can contain one long text many times. */
const MAX_CHARACTERS = 1 << 26;

/** The same for the JSON of an answer, which has at least as many characters, or bytes, as its texts have characters. */
export function checkJsonSize(json: JsonText): Failure | null {
  return json.length > MAX_CHARACTERS ? checkTextSize(JSON.parse(json.toString())) : null;
}

/** `OPERATION_TOO_COMPLEX` if the texts of an answer exceed the limit together, else null. */
export function checkTextSize(data: unknown): Failure | null {
  if (charactersLeft(data, MAX_CHARACTERS) >= 0) return null;
  return tooComplex(
    `an answer may have at most ${MAX_CHARACTERS.toLocaleString("en-US")} characters of text, this one has more`,
  );
}

/** The characters that `value` leaves of a limit. Stops counting below 0. */
function charactersLeft(value: unknown, limit: number): number {
  if (typeof value === "string") return limit - value.length;
  if (typeof value !== "object" || value === null) return limit;
  let left = limit;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = charactersLeft(value[i], left);
    return left;
  }
  for (const name in value) {
    left = charactersLeft((value as Readonly<Record<string, unknown>>)[name], left);
    if (left < 0) return left;
  }
  return left;
}
