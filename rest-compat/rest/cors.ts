import { RATE_LIMIT_HEADERS } from "../access/rate-limit.ts";

/** Headers of every answer, so that pages of other origins may read it. */
export const CORS_HEADERS: readonly string[] = [
  "access-control-allow-origin",
  "*",
  "access-control-expose-headers",
  [...RATE_LIMIT_HEADERS, "x-request-id"].join(", "),
];

/** Headers of the answer to a preflight: what a page may send. */
export function preflightHeaders(keyHeaders: readonly string[]): readonly string[] {
  return [
    "access-control-allow-methods",
    "GET, HEAD, POST, OPTIONS",
    "access-control-allow-headers",
    ["content-type", "x-request-id", ...keyHeaders].join(", "),
    "access-control-max-age",
    "86400",
  ];
}
