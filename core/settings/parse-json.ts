import { messageOf } from "../errors.ts";

/** Parses JSON. The error names the line, and nothing of the text: the message of V8 quotes a part of it, which may be a secret. */
export function parseSettingsJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const line = text.slice(0, faultOf(messageOf(error), text)).split("\n").length;
    throw new Error(`the JSON is not valid at line ${line} or the next one`);
  }
}

/** The index of the wrong character, or of the quoted part before it. V8 names neither for JSON that ends too early. */
function faultOf(message: string, text: string): number {
  const position = / at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  const quoted = /, (?:\.{3})?"([\s\S]*?)"(?:\.{3})? is not valid JSON$/.exec(message)?.[1];
  return quoted === undefined ? text.length : text.indexOf(quoted);
}
