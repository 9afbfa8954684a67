import type { IncomingMessage } from "node:http";
import { Failure } from "../../errors/errors.ts";
import type { RateCounters } from "../rate-counters.ts";
import type { Callers } from "./callers.ts";
import { appendLimits } from "./rate-limit.ts";

/** Returns the rate limit headers, names and values alternating, of a response that costs its caller nothing. */
export type LimitHeadersOf = (request: IncomingMessage) => string[];

/** If the API key is unknown, the headers are those of the address, which pays for the attempt. */
export function createLimitHeaders(
  callerOf: Callers["byKey"],
  counters: RateCounters,
  nowMs: () => number,
): LimitHeadersOf {
  return (request) => {
    const headers: string[] = [];
    try {
      appendLimits(callerOf(request, headers), counters, nowMs, headers);
    } catch (error) {
      // The response says what is wrong with the rest of the request.
      if (!(error instanceof Failure)) throw error;
    }
    return headers;
  };
}
