import type { ExecutionResult } from "graphql";

/** How the events of a subscription are written to a response. */
export interface EventFormat {
  readonly contentType: string;
  /** What is sent before the first event. */
  readonly start: string;
  /** What is sent while there is no event, because proxies close connections on which nothing is sent. */
  readonly ping: string;
  readonly pingIntervalMs: number;
  eventOf(event: ExecutionResult): string;
  /** An event with which the server ends a subscription for reasons of its own. */
  failureOf(event: ExecutionResult): string;
  /** The end of events that are complete. */
  readonly complete: string;
  /** The end of events that are not complete: the client may subscribe again. */
  readonly broken: string;
}
