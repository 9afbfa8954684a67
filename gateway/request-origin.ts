import type { IncomingMessage } from "node:http";

/**
 * True if a web page of another origin opens the WebSocket. A browser names the page's origin in the handshake, and does not ask the
 * server first, as it does for a POST. Other programs send no `Origin`. The scheme is not compared: a proxy may add TLS.
 */
export function isFromOtherOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin !== undefined && hostOf(origin) !== host?.toLowerCase();
}

/** Host and port of an origin; null if it has none, such as `null`, the origin of a page without one. */
function hostOf(origin: string): string | null {
  return URL.canParse(origin) ? new URL(origin).host : null;
}
