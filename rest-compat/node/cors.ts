import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Names and values of headers. */
export type Headers = readonly (readonly [name: string, value: string])[];

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "HEAD"]);
const HEADERS: ReadonlySet<string> = new Set(["accept", "content-type", "x-requested-with"]);
const ORIGIN_ALLOWED: Headers = [
  ["Access-Control-Allow-Credentials", "true"],
  ["Access-Control-Allow-Origin", "*"],
];
const PREFLIGHT_VARY: Headers = [
  ["Vary", "Origin"],
  ["Vary", "Access-Control-Request-Method"],
  ["Vary", "Access-Control-Request-Headers"],
];

/** Headers by which pages of other origins may read an answer. */
export function corsHeaders({ origin }: IncomingHttpHeaders): Headers {
  return [...(origin ? ORIGIN_ALLOWED : []), ["Vary", "Origin"]];
}

/** Headers of the answer to a preflight; null when the request is none. What may not be sent is met with silence. */
export function preflightHeaders({ method, headers }: IncomingMessage): Headers | null {
  const asked = headers["access-control-request-method"];
  if (method !== "OPTIONS" || !asked) return null;
  const wanted = String(headers["access-control-request-headers"] ?? "");
  const names = wanted.split(",").map((name) => name.trim().toLowerCase());
  const isAllowed = METHODS.has(asked) && names.every((name) => name === "" || HEADERS.has(name));
  if (!headers.origin || !isAllowed) return PREFLIGHT_VARY;
  const echoed: Headers = wanted === "" ? [] : [["Access-Control-Allow-Headers", canonical(wanted)]];
  return [...ORIGIN_ALLOWED, ["Access-Control-Allow-Methods", asked], ...echoed, ...PREFLIGHT_VARY];
}

/** Each word with a capital, the rest in small letters, as Go writes names of headers. */
function canonical(names: string): string {
  return names
    .toLowerCase()
    .replace(/(^|[^a-z])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase());
}
