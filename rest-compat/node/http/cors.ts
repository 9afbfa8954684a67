import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Names and values of headers. */
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

/** Headers by which pages of other origins may read an answer. */
export function corsHeaders({ origin }: IncomingHttpHeaders): Headers {
  return [...(origin ? ORIGIN_ALLOWED : []), ["Vary", "Origin"]];
}

/** Headers of the answer to a preflight; null when the request is none. What may not be sent is met with silence. */
export function preflightHeaders({ method, headers }: IncomingMessage): Headers | null {
  const asked = headers["access-control-request-method"]?.toUpperCase();
  if (method !== "OPTIONS" || !asked) return null;
  const names = namesOf(String(headers["access-control-request-headers"] ?? ""));
  const isAllowed = METHODS.has(asked) && names.every((name) => HEADERS.has(name));
  if (!headers.origin || !isAllowed) return PREFLIGHT_VARY;
  const echoed: Headers = names.length > 0 ? [["Access-Control-Allow-Headers", names.join(", ")]] : [];
  return [...ORIGIN_ALLOWED, ["Access-Control-Allow-Methods", asked], ...echoed, ...PREFLIGHT_VARY];
}

/** Names of a list that commas or spaces divide, as Go writes names of headers; characters that none has are dropped. */
function namesOf(list: string): string[] {
  const names = list
    .toLowerCase()
    .replace(/(^|[-_ ,])([a-z])/g, (_, before: string, letter: string) => before + letter.toUpperCase())
    .split(/[ ,]/);
  return names.map((name) => name.replace(/[^\w.-]/g, "")).filter(Boolean);
}
