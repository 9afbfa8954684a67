import { requireJson } from "../../core/config/settings/parse-json.ts";

/** A string or a number of a JSON text. A number keeps its digits as they are written, because a float would lose some. */
export interface JsonText {
  readonly text: string;
  readonly isNumber: boolean;
  /** Offset in the JSON text, in characters from 0. */
  readonly offset: number;
}

const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|-?\d[\d.eE+-]*/g;

/** Like `JSON.parse`, with a `JsonText` for each string and number. Throws the error of `requireJson`. */
export function parseJsonTexts(json: string): unknown {
  // The pattern would not notice invalid JSON.
  requireJson(json);
  const marked = json.replace(TOKEN, (token, text: string | undefined, colon: string | undefined, offset: number) => {
    if (colon !== undefined) return token;
    return text === undefined ? `"n${offset}:${token}"` : `"s${offset}:${text.slice(1)}`;
  });
  return JSON.parse(marked, (_key, value: unknown) => (typeof value === "string" ? textOf(value) : value));
}

function textOf(marked: string): JsonText {
  const colon = marked.indexOf(":");
  return {
    text: marked.slice(colon + 1),
    isNumber: marked.startsWith("n"),
    offset: Number(marked.slice(1, colon)),
  };
}

/** True for a `JsonText`. No object of the JSON text can look like one, because a string in it is itself a `JsonText`. */
export function isJsonText(value: unknown): value is JsonText {
  return typeof value === "object" && value !== null && "text" in value && typeof value.text === "string";
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isJsonText(value);
}
