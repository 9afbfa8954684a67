import type { Failure } from "../../../core/errors/errors.ts";
import type { JsonText } from "../../../core/graph/answer-text/answer-text.ts";
import { tooComplex } from "./too-complex.ts";

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
