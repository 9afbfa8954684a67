import { Failure } from "../../core/errors.ts";
import type { RateCounters } from "../../core/rate-counters.ts";
import type { Caller } from "./callers.ts";

const WINDOW_SECONDS = 60;

/** Names of the headers that say where a caller's limit stands. */
export const RATE_LIMIT_HEADERS = [
  "ratelimit",
  "ratelimit-policy",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
  "retry-after",
] as const;

/** Charges a request to a caller and appends the headers of the limit; throws `RATE_LIMITED` when it is used up. */
export type ChargeCaller = (caller: Caller, units: number, headers: string[]) => void;

/** Limits count by minutes of the clock, which `nowMs` gives. A refused request costs nothing. */
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
    headers.push(...standing(unitsPerMinute, remaining, resetSeconds));
    if (isOver) refuse(unitsPerMinute, resetSeconds, headers);
  };
}

/** Policy and standing as the newest draft of the RateLimit headers has them, and the older names that clients read. */
function standing(limit: number, remaining: number, resetSeconds: number): string[] {
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
    `the limit of ${limit} compute units a minute is used up, try again in ${resetSeconds} s`,
  );
}
