import type { IncomingMessage } from "node:http";

/** What a span describes. */
export type SpanKind = "request" | "operation" | "subgraph" | "resolver" | "loader" | "statement";

/** Only names and numbers of ours: never values of variables, keys, tokens or addresses of callers. */
export type SpanAttributes = Readonly<Record<string, string | number>>;

/** The ids of a span, under the names that OpenTelemetry gives them in log lines. */
export interface TraceIds {
  readonly trace_id: string;
  readonly span_id: string;
}

export interface Tracing extends AsyncDisposable {
  inSpan<Result>(kind: SpanKind, name: string, run: () => Result, attributes?: SpanAttributes): Result;
  /** Runs the handler of a request in a span below that of the caller. `end` is called when the response has ended. */
  inRequestSpan(request: IncomingMessage, run: (end: EndRequestSpan) => void): void;
  headers(): TraceHeaders;
  current(): TraceIds | undefined;
}

export type EndRequestSpan = (name: string, attributes: SpanAttributes) => void;
export type TraceHeaders = Readonly<Record<string, string>>;

const NO_HEADERS: TraceHeaders = {};

/** One for each process. Null if traces are off. */
let tracing: Tracing | null = null;

/** Switches traces on, or off with null. */
export function useTracing(next: Tracing | null): void {
  tracing = next;
}

export function currentTracing(): Tracing | null {
  return tracing;
}

/** Runs work in a span, which ends when the returned promise settles. Without traces, only runs it. */
export function inSpan<Result>(kind: SpanKind, name: string, run: () => Result, attributes?: SpanAttributes): Result {
  return tracing === null ? run() : tracing.inSpan(kind, name, run, attributes);
}

/** Headers that make the spans of another process part of the current trace: `traceparent`, and `tracestate` if there is one. */
export function traceHeaders(): TraceHeaders {
  return tracing === null ? NO_HEADERS : tracing.headers();
}

/** The ids of the current span; undefined without one. */
export function currentTrace(): TraceIds | undefined {
  return tracing?.current();
}
