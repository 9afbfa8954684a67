import type { ServerResponse } from "node:http";
import type { ExecutionResult } from "graphql";
import { codeOf } from "../../core/errors/errors.ts";
import { EVENT_STREAM_CACHING } from "../../core/graph/event-stream.ts";
import { onResponseClose } from "../../core/http/connections.ts";
import { setHeaders } from "../../core/http/headers.ts";
import type { EventFormat } from "./event-format.ts";
import type { StreamType } from "./media-types.ts";
import { MULTIPART } from "./multipart.ts";
import { appendCors } from "./send-answer.ts";
import { SERVER_SENT_EVENTS } from "./sse.ts";

const FORMATS: Readonly<Record<StreamType, EventFormat>> = {
  "text/event-stream": SERVER_SENT_EVENTS,
  "multipart/mixed": MULTIPART,
};

export interface SentEvents {
  /** More headers, names and values alternating. */
  readonly headers: readonly string[];
  readonly events: AsyncIterable<ExecutionResult>;
}

/** Sends events until they end or the caller leaves. Waits while the caller does not read. The events end with the response. */
export function sendEvents(response: ServerResponse, type: StreamType, { headers, events }: SentEvents): void {
  const source = events[Symbol.asyncIterator]();
  const format = FORMATS[type];
  const end = () => void source.return?.().then(undefined, () => {});
  onResponseClose(response, end);
  if (response.destroyed) return;
  writeHead(response, format, headers);
  const timer = setInterval(() => {
    if (!response.writableNeedDrain) response.write(format.ping);
  }, format.pingIntervalMs);
  onResponseClose(response, () => clearInterval(timer));
  writeAll(response, format, source).catch(() => response.destroy());
}

async function writeAll(
  response: ServerResponse,
  format: EventFormat,
  source: AsyncIterator<ExecutionResult>,
): Promise<void> {
  let isBroken = false;
  for (;;) {
    const next = await source.next();
    if (response.destroyed) return;
    if (next.done) break;
    isBroken = isServersFault(next.value);
    const text = isBroken ? format.failureOf(next.value) : format.eventOf(next.value);
    if (!response.write(text)) await drained(response);
  }
  response.end(isBroken ? format.broken : format.complete);
}

/** True for an event with which the server ends a subscription for reasons of its own, such as its shutdown. */
function isServersFault({ data, errors = [] }: ExecutionResult): boolean {
  return !data && errors.some((error) => codeOf(error) === "UNAVAILABLE");
}

/** The headers are set one by one, so that the content type can be read later. */
function writeHead(response: ServerResponse, format: EventFormat, headers: readonly string[]): void {
  const head = [...headers, "content-type", format.contentType, "cache-control", EVENT_STREAM_CACHING];
  // nginx would hold the events back.
  head.push("x-accel-buffering", "no");
  if (appendCors(response.req, head)) head.push("vary", "Origin");
  setHeaders(response, head);
  response.writeHead(200);
  response.write(format.start);
}

/** Resolves when a response can take more, or when its connection has closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
