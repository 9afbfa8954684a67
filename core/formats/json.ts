import { randomUUID } from "node:crypto";

/** The JSON value of a text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A string, or a number. In valid JSON, a number is never a part of another token. */
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LARGE_INTEGER = /^-?\d{16,}$/;

/**
 * Like `parseJson`, but integers that a number may not hold exactly are what `large` returns for their digits. Default: bigints.
 */
export function parseJsonExactly(text: string, large: (digits: string) => unknown = BigInt): unknown {
  if (parseJson(text) === undefined) return undefined;
  // No string of the text begins with it.
  const mark = randomUUID();
  const marked = text.replace(TOKENS, (token) => (LARGE_INTEGER.test(token) ? `"${mark}${token}"` : token));
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === "string" && value.startsWith(mark) ? large(value.slice(mark.length)) : value,
  );
}

/** True for a JSON object, not for a list or null. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The member of a JSON object as Go's decoder finds it: upper and lower case are the same, and the last member with the name counts.
 * Undefined if there is none.
 */
export function memberOf(object: Readonly<Record<string, unknown>>, name: string): unknown {
  const folded = name.toLowerCase();
  return Object.entries(object).findLast(([key]) => key.toLowerCase() === folded)?.[1];
}
