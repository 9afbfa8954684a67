import type { IncomingMessage } from "node:http";
import parseForwarded from "forwarded-parse";

type Headers = Pick<IncomingMessage, "headers">;

/** What a proxy says of a request in an element of `Forwarded` (RFC 7239). */
export interface ForwardedElement {
  readonly for?: string;
  readonly host?: string;
  readonly proto?: string;
}

/**
 * The entry at a place from the end of a header that proxies extend, such as `X-Forwarded-For`; the first one if there are fewer. The
 * caller controls all entries before it. Null without the header.
 */
export function listEntry({ headers }: Headers, name: string, fromEnd: number): string | null {
  const text = String(headers[name] ?? "");
  return text === "" ? null : (text.split(",").slice(-fromEnd)[0] ?? null);
}

/**
 * The element at a place from the end of `Forwarded`. An element without `for` counts too, because a proxy wrote it. Null without the
 * header, and for an element that is malformed.
 */
export function forwardedElement({ headers }: Headers, fromEnd: number): ForwardedElement | null {
  if (!headers.forwarded) return null;
  try {
    const element = elementFromEnd(headers.forwarded, fromEnd);
    return hasRepeatedParameter(element) ? null : (parseForwarded(quotePort(element))[0] ?? null);
  } catch {
    return null;
  }
}

const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** True for an element with two of a parameter, which RFC 7239 forbids: a caller may have sent the other one in its `Host` header. */
function hasRepeatedParameter(element: string): boolean {
  const names = [...element.replace(QUOTED, '""').matchAll(/(?:^|;)[ \t]*(for|host|proto)=/gi)].map(([, name = ""]) =>
    name.toLowerCase(),
  );
  return new Set(names).size < names.length;
}

/** A quoted string, or the parameter `for` with an IPv4 address and a port without quotes. */
const QUOTED_OR_PORT =
  /"(?:[^"\\]|\\.)*"|(^|;)([ \t]*(?:for=(?:\d{1,3}\.){3}\d{1,3}|host=[\w.-]+):\d+)(?=[ \t]*(?:;|$))/gi;

/**
 * Adds the quotes that RFC 7239 requires around an address or a host with a port, and that some proxies omit. Changes nothing within
 * quotes.
 */
function quotePort(element: string): string {
  return element.replace(QUOTED_OR_PORT, (text, start: string | undefined, parameter: string) => {
    if (start === undefined) return text;
    const [name, value] = parameter.split("=", 2);
    return `${start}${name}="${value}"`;
  });
}

/**
 * The element of a list at a place from the end; the first one if there are fewer. Empty elements do not count (RFC 9110, section 5.6.1).
 * Read from the end, because the caller may have sent anything, such as a single quote, before the elements of the proxies.
 */
function elementFromEnd(list: string, fromEnd: number): string {
  let isQuoted = false;
  let end = list.length;
  let elements = 0;
  let element = "";
  // The start of the list ends its first element.
  for (let at = list.length - 1; at >= -1 && elements < fromEnd; at--) {
    if (list[at] === '"' && !isEscaped(list, at)) isQuoted = !isQuoted;
    if (at >= 0 && (list[at] !== "," || isQuoted)) continue;
    const text = list.slice(at + 1, end).trim();
    end = at;
    if (text === "") continue;
    element = text;
    elements++;
  }
  return element;
}

/** True if an odd number of backslashes stands before a character. */
function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}
