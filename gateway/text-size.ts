import { Failure } from "../core/errors.ts";

/** The same bytes may stand in an answer as often as it has values: so many of them no caller can want. */
const MOST_CHARACTERS = 1 << 26;

/** Why an answer is not written out; null when it is. */
export function textRefusal(data: unknown): Failure | null {
  if (remaining(data, MOST_CHARACTERS) >= 0) return null;
  return new Failure(
    "OPERATION_TOO_COMPLEX",
    `an answer may have ${MOST_CHARACTERS.toLocaleString("en-US")} characters of text, this one has more`,
  );
}

/** What is left of so many characters; below 0 as soon as there are more. */
function remaining(value: unknown, most: number): number {
  if (typeof value === "string") return most - value.length;
  if (typeof value !== "object" || value === null) return most;
  let left = most;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && left >= 0; i++) left = remaining(value[i], left);
    return left;
  }
  for (const name in value) {
    left = remaining((value as Readonly<Record<string, unknown>>)[name], left);
    if (left < 0) return left;
  }
  return left;
}
