import {
  type Context,
  context,
  defaultTextMapSetter,
  diag,
  SpanKind as OtelKind,
  type Span,
  SpanStatusCode,
  type TextMapGetter,
  trace,
} from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { Config } from "../config/config-schema.ts";
import type { Logger } from "./logger.ts";
import type { SpanAttributes, SpanKind, Tracing } from "./observe.ts";
import { hasErrors, withEnd } from "./observe.ts";

const KINDS: Readonly<Record<SpanKind, OtelKind>> = {
  request: OtelKind.SERVER,
  operation: OtelKind.INTERNAL,
  subgraph: OtelKind.CLIENT,
  resolver: OtelKind.INTERNAL,
  loader: OtelKind.INTERNAL,
  statement: OtelKind.CLIENT,
};

/** At its end, the process waits at most this long until the last spans are sent. */
const SHUTDOWN_TIMEOUT_MS = 2_000;

const HEADERS: TextMapGetter<Readonly<Record<string, string | string[] | undefined>>> = {
  get: (headers, name) => headers[name],
  keys: (headers) => Object.keys(headers),
};

export type TraceSettings = Pick<Config["observability"], "tracesHeaders" | "tracesSampleRatio"> & {
  readonly tracesUrl: string;
};

/** This module imports OpenTelemetry, so it is loaded only if there is a collector. Spans are sent in the background, every 5 s. */
export function createTracing(
  { tracesUrl, tracesHeaders, tracesSampleRatio }: TraceSettings,
  service: string,
  logger: Logger,
): Tracing {
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": service, "service.namespace": "moraine" }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(tracesSampleRatio) }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: tracesUrl, ...(tracesHeaders && { headers: { ...tracesHeaders } }) }),
      }),
    ],
  });
  const contexts = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(contexts);
  logFailures(logger);
  const tracer = provider.getTracer("moraine");
  const propagator = new W3CTraceContextPropagator();
  return {
    inSpan(kind, name, run, attributes) {
      const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: attributesOf(kind, name, attributes) });
      return context.with(trace.setSpan(context.active(), span), () => endWith(span, run));
    },
    inRequestSpan(request, run) {
      const parent: Context = propagator.extract(context.active(), request.headers, HEADERS);
      const span = tracer.startSpan("request", { kind: OtelKind.SERVER }, parent);
      context.with(trace.setSpan(parent, span), () =>
        run((name, attributes) => {
          span.updateName(name);
          span.setAttributes(attributes);
          if (Number(attributes["http.response.status_code"]) >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        }),
      );
    },
    headers() {
      const headers: Record<string, string> = {};
      propagator.inject(context.active(), headers, defaultTextMapSetter);
      return headers;
    },
    current() {
      const ids = trace.getActiveSpan()?.spanContext();
      return ids && { trace_id: ids.traceId, span_id: ids.spanId };
    },
    async [Symbol.asyncDispose]() {
      const timeout = new Promise<void>((done) => setTimeout(done, SHUTDOWN_TIMEOUT_MS).unref());
      await Promise.race([provider.shutdown().catch(() => {}), timeout]);
      context.disable();
      diag.disable();
    },
  };
}

/** Adds the attributes for which OpenTelemetry defines names. */
function attributesOf(kind: SpanKind, name: string, attributes: SpanAttributes = {}): SpanAttributes {
  if (kind === "statement") return { "db.system.name": "postgresql", "db.query.summary": name, ...attributes };
  if (kind === "operation") return { "graphql.operation.name": name, ...attributes };
  return attributes;
}

/** Ends the span when the work has ended. Only the fact of a failure is recorded: messages may contain values of callers. */
function endWith<Result>(span: Span, run: () => Result): Result {
  return withEnd(run, hasErrors, (hasFailed) => {
    if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  });
}

/** Logs once that the collector cannot be reached, not for every batch of spans. */
function logFailures(logger: Logger): void {
  let isLogged = false;
  const warn = (message: string) => {
    if (isLogged) return;
    isLogged = true;
    logger.warn(
      { reason: message.slice(0, 300) },
      "traces could not be sent to the collector; this is logged only once",
    );
  };
  const ignore = () => {};
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore });
}
