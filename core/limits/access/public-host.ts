import type { IncomingMessage } from "node:http";
import type { Config } from "../../config/config-schema.ts";
import { forwardedElement, listEntry } from "./proxy-headers.ts";

/** Reads the host to which the caller sent the request, with its port if the caller named it. */
export type ReadHost = (request: Pick<IncomingMessage, "headers">) => string | undefined;

/** The host is that of the header that the setting `trustProxy` names, otherwise that of the header `Host`. */
export function createHostReader({ trustProxy, proxyHops }: Pick<Config, "trustProxy" | "proxyHops">): ReadHost {
  if (trustProxy === false) return ({ headers }) => headers.host;
  if (trustProxy === "forwarded")
    return (request) => forwardedElement(request, proxyHops)?.host ?? request.headers.host;
  return (request) => listEntry(request, "x-forwarded-host", proxyHops)?.trim() || request.headers.host;
}
