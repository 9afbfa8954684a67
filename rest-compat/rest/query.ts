import { Failure, quoted } from "../../core/errors.ts";

/** Path and query of a request, still percent-encoded. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

/** Splits a request target; a proxy may send it in absolute form. */
export function parseTarget(url: string): Target {
  const local = url.startsWith("/") || !URL.canParse(url) ? url : relative(new URL(url));
  const end = local.indexOf("?");
  return end < 0 ? { path: local, query: "" } : { path: local.slice(0, end), query: local.slice(end + 1) };
}

function relative({ pathname, search }: URL): string {
  return pathname + search;
}

/** Text of a percent-encoded part; throws `INVALID_PARAMETER` when the encoding is malformed. */
export function decodePart(text: string): string {
  if (!text.includes("%")) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Failure("INVALID_PARAMETER", `URL must be percent-encoded UTF-8, got ${quoted(text)}`);
  }
}

/** Calls `visit` with each name and value of a query, decoded, in order; a plus stands for a space. */
export function eachPair(query: string, visit: (name: string, value: string) => void): void {
  for (const pair of query.split("&")) {
    const end = pair.indexOf("=");
    if (end < 0) visit(decodeForm(pair), "");
    else visit(decodeForm(pair.slice(0, end)), decodeForm(pair.slice(end + 1)));
  }
}

function decodeForm(text: string): string {
  return decodePart(text.includes("+") ? text.replaceAll("+", " ") : text);
}
