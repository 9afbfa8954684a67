import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { decodedPath } from "./target.ts";

/** A refusal by Go's HTTP server: it sends a status line with its own reason phrase and closes the connection. */
export interface GoRefusal {
  readonly status: number;
  readonly reason: string;
  /** The body. Default: status and reason. */
  readonly text?: string;
}

export const WRONG_VERSION: GoRefusal = {
  status: 505,
  reason: "HTTP Version Not Supported: unsupported protocol version",
};

/** The refusal for a request that Go's server does not pass on to a handler; null if it passes the request on. */
export function refusalOf({
  httpVersionMajor,
  httpVersionMinor,
  url = "/",
  headers,
  rawHeaders,
}: IncomingMessage): GoRefusal | null {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  if (httpVersionMajor !== 1) return WRONG_VERSION;
  if (hosts > 1 || decodedPath(url) === null) return badRequest("");
  if (hosts === 0 && httpVersionMinor > 0) return badRequest(": missing required Host header");
  if (!hasHostCharacters(headers.host ?? "")) return badRequest(": malformed Host header");
  const isKnownExpectation = ["", "100-continue"].includes(headers.expect?.toLowerCase() ?? "");
  return isKnownExpectation ? null : { status: 417, reason: "Expectation Failed", text: "" };
}

function badRequest(detail: string): GoRefusal {
  return { status: 400, reason: `Bad Request${detail}` };
}

/** Go checks only the characters of a `Host` header. */
function hasHostCharacters(host: string): boolean {
  return /^[\w!$%&'()*+,\-.:;=[\]~]*$/.test(host);
}

/**
 * True if a request with this `Host` may be answered: `allowed` lists names, `*` stands for all. An IP address or an empty
 * host is always allowed, as by a node.
 */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  if (host === "" || allowed.includes("*")) return true;
  const [, bracketed, plain] = /^(?:\[([^[\]]*)\]|([^:[\]]*)):[^:[\]]*$/.exec(host) ?? [];
  const name = (bracketed ?? plain ?? host).toLowerCase();
  return isIP(name) !== 0 || allowed.some((one) => one.toLowerCase() === name);
}
