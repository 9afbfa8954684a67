/** How long a browser may use the answer to a preflight. Chromium uses it for two hours at most. */
export const PREFLIGHT_SECONDS = 86_400;

/** Headers of W3C Trace Context and Baggage, which tracing libraries add to the requests of web pages. */
export const TRACE_HEADERS: readonly string[] = ["traceparent", "tracestate", "baggage"];
