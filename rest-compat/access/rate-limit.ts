import { Failure } from "../../core/errors.ts";
import type { RateCounters } from "../../core/rate-counters.ts";
import type { Caller } from "./callers.ts";

const WINDOW_SECONDS = 60;

/** Names of the response headers that describe a caller's rate limit. */
export const RATE_LIMIT_HEADERS = [
  "ratelimit",
  "ratelimit-policy",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "retry-after",
] as const;

/**
 * Charges compute units to a caller and appends the rate limit headers to `headers`, names and values alternating. Throws
 * `RATE_LIMITED` if the units exceed what is left in the current minute; such a request is not charged.
 */
export type ChargeCaller = (caller: Caller, units: number, headers: string[]) => void;

/** Windows are minutes of the clock `nowMs`. */
export function createRateLimit(counters: RateCounters, nowMs: () => number): ChargeCaller {
  return ({ id, unitsPerMinute }, units, headers) => {
    if (unitsPerMinute === 0) return;
    const seconds = nowMs() / 1_000;
    const window = Math.floor(seconds / WINDOW_SECONDS);
    const used = counters.add(id, window, units);
    const isOver = used > unitsPerMinute;
    if (isOver) counters.add(id, window, -units);
    const remaining = Math.max(unitsPerMinute - (isOver ? used - units : used), 0);
    const resetSeconds = Math.ceil((window + 1) * WINDOW_SECONDS - seconds);
    headers.push(...limitHeaders(unitsPerMinute, remaining, resetSeconds));
    if (isOver) refuse(unitsPerMinute, resetSeconds, headers);
  };
}

/** The headers of the current RateLimit draft, and the older names that clients still read. */
function limitHeaders(limit: number, remaining: number, resetSeconds: number): string[] {
  return [
    "ratelimit-policy",
    `"minute";q=${limit};w=${WINDOW_SECONDS}`,
    "ratelimit",
    `"minute";r=${remaining};t=${resetSeconds}`,
    "ratelimit-limit",
    String(limit),
    "ratelimit-remaining",
    String(remaining),
  ];
}

function refuse(limit: number, resetSeconds: number, headers: string[]): never {
  headers.push("ratelimit-reset", String(resetSeconds), "retry-after", String(resetSeconds));
  throw new Failure(
    "RATE_LIMITED",
    `the limit of ${limit} compute units per minute is used up, try again in ${resetSeconds} s`,
  );
}
