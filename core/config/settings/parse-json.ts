import { requireJson } from "./json-mistakes.ts";

/** Parses JSON that an operator wrote, with or without a byte order mark. Throws the error of `requireJson`. */
export function parseSettingsJson(text: string): unknown {
  const json = withoutByteOrderMark(text);
  requireJson(json);
  return JSON.parse(json);
}

/** The text without the byte order mark that some editors write at the start of a file. */
export function withoutByteOrderMark(text: string): string {
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
