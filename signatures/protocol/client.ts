import { Agent, request } from "undici";
import { Failure, isFailureCode, quoted } from "../../core/errors/errors.ts";
import { isObject, parseJson } from "../../core/formats/json.ts";
import { traceHeaders } from "../../core/observability/observe.ts";
import { currentRequestId, REQUEST_ID_HEADER } from "../../core/observability/request-id.ts";
import { linesOf } from "./lines.ts";
import {
  AGGREGATION_PATH,
  type AggregationEvent,
  type AggregationInput,
  type DescribedMessage,
  MESSAGES_PATH,
  type MessageSource,
  type ServiceFailure,
} from "./protocol.ts";

/** What an aggregation sends before it ends. A failure is thrown instead. */
export type AggregationStep = Exclude<AggregationEvent, { readonly type: "failure" }>;

/**
 * The signature service, in a process of its own. Both functions throw `UNAVAILABLE` if it cannot be reached or breaks off, and
 * `UPSTREAM_FAILED` if it sends something invalid. Aborting a signal ends the request at the service.
 */
export interface SignatureService extends AsyncDisposable {
  /** The message of each source, in the same order. */
  describe(sources: readonly MessageSource[], signal?: AbortSignal): Promise<readonly DescribedMessage[]>;
  /** The progress of an aggregation, and its result as the last step. Throws the failure of the service, with its code. */
  aggregate(input: AggregationInput, signal: AbortSignal): AsyncIterable<AggregationStep>;
}

/**
 * Base URL of the service; null if it does not run. It may change: each start of a child process has another port. May wait for
 * a service that is being started, until the signal is aborted.
 */
export type ServiceUrl = (signal?: AbortSignal) => string | null | Promise<string | null>;

export interface SignatureServiceOptions {
  readonly url: ServiceUrl;
  /** Maximum time without a byte of an aggregation. Default: 90 seconds; a collection may take 55 seconds. */
  readonly idleTimeoutMs?: number;
}

const IDLE_TIMEOUT_MS = 90_000;
/** The service sends the headers of an aggregation at once, and describes messages within milliseconds. */
const HEADERS_TIMEOUT_MS = 15_000;
/** Connections that are not used any more are closed after this time. */
const KEEP_ALIVE_MS = 5_000;

/** Opens no connection before the first request. */
export function createSignatureService({
  url,
  idleTimeoutMs = IDLE_TIMEOUT_MS,
}: SignatureServiceOptions): SignatureService {
  const agent = new Agent({
    headersTimeout: Math.min(HEADERS_TIMEOUT_MS, idleTimeoutMs),
    bodyTimeout: idleTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });

  async function post(path: string, content: unknown, signal: AbortSignal | undefined) {
    const base = await url(signal);
    signal?.throwIfAborted();
    if (base === null) throw unavailable("the signature service does not run");
    const requestId = currentRequestId();
    const headers = {
      "content-type": "application/json",
      ...(requestId && { [REQUEST_ID_HEADER]: requestId }),
      ...traceHeaders(),
    };
    const body = JSON.stringify(content);
    const options = { method: "POST", headers, body, dispatcher: agent, signal } as const;
    const answer = await request(base.replace(/\/+$/, "") + path, options).catch((error: unknown) => {
      signal?.throwIfAborted();
      throw unavailable("the signature service does not answer", error);
    });
    if (answer.statusCode === 200) return answer.body;
    throw refusal(answer.statusCode, await answer.body.json().catch(() => null));
  }

  return {
    async describe(sources, signal) {
      const body = await post(MESSAGES_PATH, sources, signal);
      let text = "";
      for await (const line of unbroken(linesOf(body), signal)) text += line;
      const answer = parseJson(text);
      if (!Array.isArray(answer) || answer.length !== sources.length)
        throw invalid(`it must describe ${sources.length} messages`);
      return answer;
    },
    async *aggregate(input, signal) {
      const body = await post(AGGREGATION_PATH, input, signal);
      for await (const line of unbroken(linesOf(body), signal)) {
        const event = eventIn(line);
        if (event.type === "failure") throw failureOf(event);
        yield event;
        if (event.type === "result") return;
      }
      throw unavailable("the signature service ended its answer before it had a result");
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
}

/** The same lines. A connection that breaks is `UNAVAILABLE`. */
async function* unbroken(lines: AsyncIterable<string>, signal: AbortSignal | undefined): AsyncGenerator<string> {
  const iterator = lines[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await iterator.next().catch((error: unknown) => {
        signal?.throwIfAborted();
        throw error instanceof Failure ? error : unavailable("the connection to the signature service broke", error);
      });
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

function eventIn(line: string): AggregationEvent {
  const event = parseJson(line);
  if (isObject(event) && (event["type"] === "progress" || event["type"] === "result" || event["type"] === "failure"))
    return event as unknown as AggregationEvent; // the service is a part of the same release
  throw invalid(`it has the line ${quoted(line)}`);
}

/** The failure that the service sent, which callers get unchanged. */
export function failureOf({ code, message }: ServiceFailure): Failure {
  return isFailureCode(code) ? new Failure(code, message) : invalid(`it has the unknown error code ${quoted(code)}`);
}

function refusal(status: number, answer: unknown): Failure {
  if (isObject(answer) && isFailureCode(answer["code"]) && typeof answer["message"] === "string")
    return new Failure(answer["code"], answer["message"]);
  return new Failure("UPSTREAM_FAILED", `the signature service answered HTTP ${status}`);
}

function invalid(reason: string): Failure {
  return new Failure("UPSTREAM_FAILED", `the answer of the signature service is invalid: ${reason}`);
}

function unavailable(reason: string, cause?: unknown): Failure {
  return new Failure("UNAVAILABLE", `${reason}, try again later`, cause);
}
