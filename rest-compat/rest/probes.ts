import type { Base } from "../routes.ts";
import type { Answer, Endpoint } from "./answer.ts";
import type { CheckHealth } from "./health-check.ts";
import { errorReply, formOf, jsonReply } from "./respond.ts";

/** Nobody knows when another process answers in place of this one. */
const RETRY_AFTER_SECONDS = "1";
const ALIVE = JSON.stringify({ status: "ok", info: {}, error: {}, details: {} });
const GRAPH_UP = { graph: { status: "up" } };
const HEALTHY = JSON.stringify({ status: "ok", info: GRAPH_UP, error: {}, details: GRAPH_UP });

/**
 * The probes of the hosted service: `live-check` succeeds if the process answers, `health-check` if the graph does. Both fail after
 * the signal was aborted.
 */
export function healthEndpoints(check: CheckHealth, signal: AbortSignal | undefined): Endpoint[] {
  const health: Answer = async ({ requestId }) => {
    await check(requestId);
    return jsonReply(200, HEALTHY);
  };
  const live: Answer = () => jsonReply(200, ALIVE);
  const probe = (path: string, base: Base, answer: Answer): Endpoint => {
    const stopping = errorReply("UNAVAILABLE", "the server is shutting down", formOf(base));
    return {
      path,
      method: "GET",
      base,
      answer(request) {
        if (!signal?.aborted) return answer(request);
        // Returned, not thrown: a thrown failure would be logged, and this one is expected.
        request.headers.push("retry-after", RETRY_AFTER_SECONDS);
        return stopping;
      },
    };
  };
  return [
    probe("/v1/health-check", "data", health),
    probe("/v1/live-check", "data", live),
    probe("/v2/health-check", "metrics", health),
    probe("/v2/live-check", "metrics", live),
  ];
}
