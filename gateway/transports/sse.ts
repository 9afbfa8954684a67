import type { ExecutionResult } from "graphql";
import type { EventFormat } from "./event-format.ts";

const PING = ":\n\n";
const next = (event: ExecutionResult): string => `event: next\ndata: ${JSON.stringify(event)}\n\n`;

/** Server-sent events by the protocol of graphql-sse, with a connection for each operation. A stream without `complete` is broken. */
export const SERVER_SENT_EVENTS: EventFormat = {
  contentType: "text/event-stream",
  start: PING,
  ping: PING,
  pingIntervalMs: 12_000,
  eventOf: next,
  failureOf: next,
  complete: "event: complete\ndata:\n\n",
  broken: "",
};
