import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";

/** What Go's server says of a request that it does not pass on: a reason phrase, after which it closes. */
export interface GoRefusal {
  readonly status: number;
  readonly reason: string;
  /** Absent: status and reason. */
  readonly text?: string;
}

/** What Go's server would not pass on to a node's handlers, and why; null for all else. */
export function refusalOf({
  httpVersionMajor,
  httpVersionMinor,
  url = "/",
  headers,
  rawHeaders,
}: IncomingMessage): GoRefusal | null {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  if (httpVersionMajor !== 1) return WRONG_VERSION;
  if (hosts > 1 || decodedPath(url) === null) return bad("");
  if (hosts === 0 && httpVersionMinor > 0) return bad(": missing required Host header");
  if (!isHostText(headers.host ?? "")) return bad(": malformed Host header");
  const isExpected = ["", "100-continue"].includes(headers.expect?.toLowerCase() ?? "");
  return isExpected ? null : { status: 417, reason: "Expectation Failed", text: "" };
}

export const WRONG_VERSION: GoRefusal = {
  status: 505,
  reason: "HTTP Version Not Supported: unsupported protocol version",
};

function bad(more: string): GoRefusal {
  return { status: 400, reason: `Bad Request${more}` };
}

/** Where an unclean target points to. */
export function movedTo(target: string): string {
  const { host, query } = splitTarget(target);
  const local = encodedPath(cleanPath(decodedPath(target) ?? "/"));
  return `${host === null ? "" : `http://${host}`}${local}${query === "" ? "" : `?${query}`}`;
}

/** The path part of a request target, decoded; null when its encoding is malformed. */
export function decodedPath(target: string): string | null {
  try {
    return decodeURIComponent(splitTarget(target).path);
  } catch {
    // Go decodes bytes that are no UTF-8 too; no path of ours has such.
    return /%(?![0-9a-f]{2})/i.test(splitTarget(target).path) ? null : splitTarget(target).path;
  }
}

/** Host, path and query of a request target, still encoded; the host is null unless the target has one. */
export function splitTarget(target: string): { host: string | null; path: string; query: string } {
  const [, host = null, local = target] = /^https?:\/\/([^/?]*)(.*)$/is.exec(target) ?? [];
  const end = local.indexOf("?");
  const path = end < 0 ? local : local.slice(0, end);
  return { host, path: path || "/", query: end < 0 ? "" : local.slice(end + 1) };
}

/** A path without empty and dotted segments; a slash at its end stays. */
export function cleanPath(path: string): string {
  const clean: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") clean.pop();
    else if (segment !== "" && segment !== ".") clean.push(segment);
  }
  return `/${clean.join("/")}${clean.length > 0 && path.endsWith("/") ? "/" : ""}`;
}

/** A decoded path as Go writes it into a URL. */
function encodedPath(path: string): string {
  return encodeURIComponent(path)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/%(2F|24|26|2B|2C|3A|3B|3D|40)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Values of a name in a query, as Go parses queries: a pair that is malformed, or has a semicolon, is dropped. */
export function queryValues(query: string, name: string): string[] {
  return query.split("&").flatMap((pair) => {
    if (pair === "" || pair.includes(";")) return [];
    const [key = "", ...rest] = pair.split("=");
    const value = unescaped(rest.join("="));
    return unescaped(key) === name && value !== null ? [value] : [];
  });
}

function unescaped(text: string): string | null {
  if (/%(?![0-9a-f]{2})/i.test(text)) return null;
  const bytes = text
    .replaceAll("+", " ")
    .replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString();
}

/** Whether a `Host` header may be one: Go looks at its characters only. */
function isHostText(host: string): boolean {
  return /^[\w!$%&'()*+,\-.:;=[\]~]*$/.test(host);
}

/** Whether a host may ask: a name of the list, `*` for any; addresses and no host at all always may. */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  if (host === "" || allowed.includes("*")) return true;
  const [, bracketed, plain] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):[^:[\]]*$/.exec(host) ?? [];
  const name = (bracketed ?? plain ?? host).toLowerCase();
  return isIP(name) !== 0 || allowed.some((one) => one.toLowerCase() === name);
}
