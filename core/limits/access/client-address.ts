import type { IncomingMessage } from "node:http";
import ipaddr from "ipaddr.js";
import type { Config } from "../../config/config-schema.ts";
import { forwardedElement, listEntry } from "./proxy-headers.ts";

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

const xForwardedForEntry: ReadEntry = (request, fromEnd) => listEntry(request, "x-forwarded-for", fromEnd);

const forwardedEntry: ReadEntry = (request, fromEnd) => forwardedElement(request, fromEnd)?.for ?? null;

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
