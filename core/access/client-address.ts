import type { IncomingMessage } from "node:http";
import parseForwarded from "forwarded-parse";
import ipaddr from "ipaddr.js";
import type { Config } from "../config-schema.ts";

/**
 * The address under which a caller without a key is counted: an IPv4 address, or the first 64 bits of an IPv6 address, because a
 * single machine usually has all addresses of such a prefix.
 */
export type ReadAddress = (request: IncomingMessage) => string;

/** The address comes from the connection, or from the header that the proxy of the setting `trustProxy` writes. */
export function createAddressReader({ trustProxy, proxyHops }: Pick<Config, "trustProxy" | "proxyHops">): ReadAddress {
  const ofConnection = createConnectionReader();
  if (trustProxy === false) return ofConnection;
  const entryOf = trustProxy === "forwarded" ? forwardedEntry : xForwardedForEntry;
  return (request) => {
    const entry = entryOf(request, proxyHops);
    return (entry === null ? null : countedAddress(withoutPort(entry))) ?? ofConnection(request);
  };
}

/** Reads the address of each connection once: an IPv6 address takes longer than all other checks of a request. */
function createConnectionReader(): ReadAddress {
  const known = new WeakMap<object, string>();
  return ({ socket }) => {
    let address = known.get(socket);
    if (address === undefined) {
      address = countedAddress(socket.remoteAddress ?? "") ?? "";
      known.set(socket, address);
    }
    return address;
  };
}

/** Reads the entry at a position from the end: each trusted proxy has added one entry. The caller controls all entries before it. */
type ReadEntry = (request: IncomingMessage, fromEnd: number) => string | null;

const xForwardedForEntry: ReadEntry = ({ headers }, fromEnd) => {
  const text = String(headers["x-forwarded-for"] ?? "");
  return text === "" ? null : (text.split(",").slice(-fromEnd)[0] ?? null);
};

/** An element without `for` counts too, because a proxy wrote it. */
const forwardedEntry: ReadEntry = ({ headers }, fromEnd) => {
  if (!headers.forwarded) return null;
  try {
    const element = elementFromEnd(headers.forwarded, fromEnd);
    return hasSeveralAddresses(element) ? null : (parseForwarded(quotePort(element))[0]?.["for"] ?? null);
  } catch {
    return null;
  }
};

const QUOTED = /"(?:[^"\\]|\\.)*"/g;

/** True for an element with more than one `for`, which RFC 7239 forbids: a caller may have sent the other one in its `Host` header. */
function hasSeveralAddresses(element: string): boolean {
  return (element.replace(QUOTED, '""').match(/(?:^|;)[ \t]*for=/gi)?.length ?? 0) > 1;
}

/** A quoted string, or the parameter `for` with an IPv4 address and a port without quotes. */
const QUOTED_OR_PORT = /"(?:[^"\\]|\\.)*"|(^|;)([ \t]*for=)((?:\d{1,3}\.){3}\d{1,3}:\d+)(?=[ \t]*(?:;|$))/gi;

/** Adds the quotes that RFC 7239 requires around an address with a port, and that some proxies omit. Changes nothing within quotes. */
function quotePort(element: string): string {
  return element.replace(QUOTED_OR_PORT, (text, start: string | undefined, name: string, address: string) =>
    start === undefined ? text : `${start}${name}"${address}"`,
  );
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

/**
 * Removes quotes, brackets and a port: `"[2001:db8::1]:443"`, `192.0.2.1:443`. A port may be a name that hides it (`:_secret`). An IPv6
 * address without brackets has no port.
 */
function withoutPort(entry: string): string {
  const text = entry.trim().replace(/^"(.*)"$/, "$1");
  const [, bracketed] = /^\[([^\]]*)\](?::(?:\d+|_[\w.-]+))?$/.exec(text) ?? [];
  if (bracketed !== undefined) return bracketed;
  return /^[^:]+:(?:\d+|_[\w.-]+)$/.test(text) ? text.slice(0, text.indexOf(":")) : text;
}

/**
 * An IPv4 address, or the first 64 bits of an IPv6 address. Null for a text that is not an address, such as `unknown` or a name that
 * hides the address.
 */
export function countedAddress(text: string): string | null {
  const [address = ""] = text.split("%", 1);
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return address;
  if (!ipaddr.IPv6.isValid(address)) return null;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(":")}::/64`;
}
