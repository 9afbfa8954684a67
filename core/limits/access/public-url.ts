import type { IncomingMessage } from "node:http";
import type { Config } from "../../config/config-schema.ts";
import { forwardedElement, listEntry } from "./proxy-headers.ts";

type Settings = Pick<Config, "trustProxy" | "proxyHops">;
type Headers = Pick<IncomingMessage, "headers">;

/** Headers by which a proxy says where it received a request, or that it received it. */
export const PROXY_HEADERS = [
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-prefix",
  "x-forwarded-proto",
] as const;

/**
 * Reads the URL at which callers reach Moraine, without a slash at its end, such as `https://name:8443/prefix`. Null if it is unknown:
 * without a valid host, and for a request from a proxy that does not say in the headers of the setting `trustProxy` by which scheme it
 * received the request.
 */
export type ReadPublicUrl = (request: Headers) => string | null;

export function createPublicUrlReader(settings: Settings): ReadPublicUrl {
  const hostOf = createHostReader(settings);
  return (request) => {
    const scheme = schemeOf(request, settings);
    const prefix = prefixOf(request, settings);
    const host = hostOf(request) ?? "";
    const isValid = /^https?$/i.test(scheme ?? "") && HOST.test(host) && PREFIX.test(prefix);
    if (!isValid || !URL.canParse(`${scheme}://${host}`)) return null;
    return new URL(`${scheme}://${host}`).origin + prefix.replace(/\/+$/, "");
  };
}

/** Moraine itself has no TLS. */
function schemeOf(request: Headers, settings: Settings): string | undefined {
  if (PROXY_HEADERS.every((name) => request.headers[name] === undefined)) return "http";
  return settings.trustProxy === false ? undefined : forwarded(request, settings).proto;
}

/** `Forwarded` has no parameter for a prefix. */
function prefixOf(request: Headers, { trustProxy, proxyHops }: Settings): string {
  return trustProxy === false ? "" : (listEntry(request, "x-forwarded-prefix", proxyHops)?.trim() ?? "");
}

/** Reads the host to which the caller sent the request, with its port if the caller named it. */
export type ReadHost = (request: Headers) => string | undefined;

export function createHostReader(settings: Settings): ReadHost {
  if (settings.trustProxy === false) return ({ headers }) => headers.host;
  return (request) => forwarded(request, settings).host ?? request.headers.host;
}

/** A name or an IPv4 address, or an IPv6 address in brackets, and maybe a port. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
/** A path without characters that end it or that URLs encode. */
const PREFIX = /^(?:(?:\/[\w.~!$&'()*+,;=:@%-]+)*\/?)$/;

interface Forwarded {
  readonly host?: string | undefined;
  readonly proto?: string | undefined;
}

function forwarded(request: Headers, { trustProxy, proxyHops }: Settings): Forwarded {
  if (trustProxy === "forwarded") return forwardedElement(request, proxyHops) ?? {};
  const entry = (name: string) => listEntry(request, name, proxyHops)?.trim() || undefined;
  return { host: entry("x-forwarded-host"), proto: entry("x-forwarded-proto") };
}
