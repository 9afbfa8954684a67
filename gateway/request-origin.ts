import type { IncomingMessage } from "node:http";
import type { Config } from "../core/config/config-schema.ts";
import { createHostReader } from "../core/limits/access/public-host.ts";

/**
 * True if a web page of another origin opens the WebSocket. A browser names the page's origin in the handshake, and does not ask the
 * server first, as it does for a POST. Other programs send no `Origin`. The scheme is not compared: a proxy may add TLS.
 */
export type IsFromOtherOrigin = (request: Pick<IncomingMessage, "headers">) => boolean;

/** Compares the origin with the host of the request, and with the one that the proxy of the setting `trustProxy` names. */
export function createOriginCheck(settings: Pick<Config, "trustProxy" | "proxyHops">): IsFromOtherOrigin {
  const hostOf = createHostReader(settings);
  return (request) => {
    const { origin, host } = request.headers;
    if (origin === undefined) return false;
    if (!URL.canParse(origin)) return true;
    const url = new URL(origin);
    return ![host, hostOf(request)].some((one) => one !== undefined && isSameHost(url, one));
  };
}

/** The port of the origin's scheme may be named or left out in both. */
function isSameHost({ protocol, host }: URL, other: string): boolean {
  const text = `${protocol}//${other}`;
  return URL.canParse(text) && new URL(text).host === host && host !== "";
}
