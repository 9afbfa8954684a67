import { type CounterCell, counterOf } from "./registry.ts";

/** Why a guard refuses a request, an operation or a connection. */
export const REJECTIONS = {
  unauthenticated: "the API key is missing or unknown (401)",
  forbidden: "the API key does not have the needed scope, or is not valid for the network (403)",
  rate_limited: "the limit of compute units is used up (429)",
  overloaded: "too many operations wait, or the operation would wait or has waited too long (503)",
  shutting_down: "the process is ending (503)",
  too_many_connections: "the address has too many open connections",
  too_many_unanswered: "a connection has too many requests that are not answered yet",
  too_many_subscriptions: "a WebSocket has too many operations, or a caller too many WebSockets and event streams",
  slow_consumer: "a client did not read what it was sent",
  body: "the type or the size of the request body, or of the asked answer, is not accepted",
  too_complex: "the operation would cost too much",
  other_origin:
    "a web page of another origin sends a mutation over WebSocket, or opens a WebSocket to a subgraph (403)",
  not_allowed: "the operation is not in `graphql.allowedOperationsFile`",
} as const;

export type Rejection = keyof typeof REJECTIONS;

const counters = Object.fromEntries(
  Object.keys(REJECTIONS).map((reason) => [reason, counterOf("requestsRejected", { reason })]),
) as Readonly<Record<Rejection, CounterCell>>;

/** Counts one refusal. Each refusal is counted once, where it is decided. */
export function countRejection(reason: Rejection): void {
  counters[reason].add();
}

/** Shows all reasons with 0, so that the first refusal is already an increase. */
export function showRejections(): void {
  for (const counter of Object.values(counters)) counter.add(0);
}
