import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Names and values of headers, in the order in which they are sent. */
export type Headers = readonly (readonly [name: string, value: string])[];

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "HEAD", "OPTIONS"]);
const HEADERS: ReadonlySet<string> = new Set(["Origin", "Accept", "Content-Type", "X-Requested-With"]);
const ORIGIN_ALLOWED: Headers = [
  ["Access-Control-Allow-Credentials", "true"],
  ["Access-Control-Allow-Origin", "*"],
];
const PREFLIGHT_VARY: Headers = [
  ["Vary", "Origin"],
  ["Vary", "Access-Control-Request-Method"],
  ["Vary", "Access-Control-Request-Headers"],
];

/** The CORS headers of a response to anything but a preflight. */
export function corsHeaders({ origin }: IncomingHttpHeaders): Headers {
  return [...(origin ? ORIGIN_ALLOWED : []), ["Vary", "Origin"]];
}

/**
 * The headers of the response to a preflight; null if the request is not a preflight. If a method or header is not allowed,
 * the response omits all `Access-Control` headers, as a node's does.
 */
export function preflightHeaders({ method, headers }: IncomingMessage): Headers | null {
  const requested = headers["access-control-request-method"]?.toUpperCase();
  if (method !== "OPTIONS" || !requested) return null;
  const names = headerNames(String(headers["access-control-request-headers"] ?? ""));
  const isAllowed = METHODS.has(requested) && names.every((name) => HEADERS.has(name));
  if (!headers.origin || !isAllowed) return PREFLIGHT_VARY;
  const echoed: Headers = names.length > 0 ? [["Access-Control-Allow-Headers", names.join(", ")]] : [];
  return [...ORIGIN_ALLOWED, ["Access-Control-Allow-Methods", requested], ...echoed, ...PREFLIGHT_VARY];
}

/** Header names of a list separated by commas or spaces, in Go's canonical casing and without characters that names cannot contain. */
function headerNames(list: string): string[] {
  const names = list
    .toLowerCase()
    .replace(/(^|[-_ ,])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase())
    .split(/[ ,]/);
  return names.map((name) => name.replace(/[^\w.-]/g, "")).filter(Boolean);
}
