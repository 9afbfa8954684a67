import type { IncomingMessage, ServerResponse } from "node:http";
import type { ExecutionResult } from "graphql";
import type { Callers } from "../../core/access/callers.ts";
import type { ChargeCaller } from "../../core/access/rate-limit.ts";
import { Overloaded } from "../../core/admission/overloaded.ts";
import { FAILURES, Failure, type FailureCode } from "../../core/errors.ts";
import { EVENT_STREAM_CACHING, isEventStream } from "../../core/event-stream.ts";
import { setHeaders } from "../../core/http/headers.ts";
import { onResponseClose } from "../../core/http/response-close.ts";
import type { Logger } from "../../core/logger.ts";
import { requestIdOf } from "../../core/observability/request-id.ts";
import { createOperationCharge, settled } from "../pipeline/access/operation-charge.ts";
import { refusalFor } from "../pipeline/refusals.ts";
import type { DirectSubscriptions, StartSubscription } from "./direct-subscriptions.ts";
import { isPlain, parsePlainRequest } from "./request-body.ts";
import { appendCors } from "./send-answer.ts";

export interface DirectStreamsOptions {
  readonly subscriptions: DirectSubscriptions;
  readonly callers: Pick<Callers, "byKey">;
  readonly charge: ChargeCaller;
  readonly keyHeaders: readonly string[];
  readonly logger: Logger;
}

/** Sends the events of subscriptions over HTTP (server-sent events) without the runtime. */
export interface DirectStreams {
  /** Answers a POST request with this body, and returns true. Returns false if the runtime has to answer it. */
  answer(request: IncomingMessage, response: ServerResponse, body: Buffer): boolean;
}

const EVENT_STREAM = "text/event-stream";
/** Proxies close connections on which nothing is sent. */
const PING_INTERVAL_MS = 12_000;
const PING = ":\n\n";
const COMPLETE = "event: complete\ndata:\n\n";
/** Codes of refusals that change the HTTP status. */
const STATUS_CODES: ReadonlySet<FailureCode> = new Set(["RATE_LIMITED", "UNAVAILABLE"]);

/** The runtime answers requests with an API key, an internal token, or a list of media types. */
export function createDirectStreams({
  subscriptions,
  callers,
  charge,
  keyHeaders,
  logger,
}: DirectStreamsOptions): DirectStreams {
  const answer = async (
    start: StartSubscription,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const requestId = requestIdOf(request);
    const client = callers.byKey(request);
    const payment = createOperationCharge(client, charge);
    const { headers } = payment;
    let status = 200;
    const starting = settled(payment, () => start({ client, request, requestId, isStream: true, payment }));
    const outcome = await starting.catch((error: unknown) => {
      if (error instanceof Failure && STATUS_CODES.has(error.code)) status = FAILURES[error.code].http;
      if (error instanceof Overloaded) headers.push("retry-after", String(error.retryAfterSeconds));
      return refusalFor(error);
    });
    const events = isEventStream(outcome) ? outcome : onlyEvent(outcome);
    await sendEvents(response, status, headers, events[Symbol.asyncIterator]());
  };
  return {
    answer(request, response, body) {
      if (request.headers.accept !== EVENT_STREAM || !isPlain(request, keyHeaders)) return false;
      const operation = parsePlainRequest(body.toString());
      const start = operation && subscriptions.find(operation);
      if (!start) return false;
      answer(start, request, response).catch((error: unknown) => {
        logger.error({ err: error }, "the events of a subscription cannot be sent");
        response.destroy();
      });
      return true;
    },
  };
}

async function* onlyEvent(result: ExecutionResult): AsyncGenerator<ExecutionResult, void> {
  yield result;
}

/** Sends events until they end or the caller leaves. Waits while the caller does not read. */
async function sendEvents(
  response: ServerResponse,
  status: number,
  limitHeaders: readonly string[],
  events: AsyncIterator<ExecutionResult>,
): Promise<void> {
  const end = () => void events.return?.().then(undefined, () => {});
  // The caller has gone.
  if (response.destroyed) return end();
  writeHead(response, status, limitHeaders);
  response.write(PING);
  const timer = setInterval(() => {
    if (!response.writableNeedDrain) response.write(PING);
  }, PING_INTERVAL_MS);
  onResponseClose(response, () => {
    clearInterval(timer);
    end();
  });
  for (;;) {
    const next = await events.next();
    if (response.destroyed) return;
    if (next.done) break;
    const isRead = response.write(`event: next\ndata: ${JSON.stringify(next.value)}\n\n`);
    if (!isRead) await drained(response);
  }
  response.end(COMPLETE);
}

/** The head that `use-event-streams` makes of the runtime's. It is set header by header, so that the content type can be read later. */
function writeHead(response: ServerResponse, status: number, limitHeaders: readonly string[]): void {
  const head = [...limitHeaders, "content-type", EVENT_STREAM, "cache-control", EVENT_STREAM_CACHING];
  if (appendCors(response.req, head)) head.push("vary", "Origin");
  setHeaders(response, head);
  response.writeHead(status);
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
