import { z } from "zod";
import { headers, port, url } from "./fields.ts";

/** The setting `observability`. */
export const observability = z.strictObject({
  host: z
    .string()
    .default("127.0.0.1")
    .describe(
      "Address on which `/metrics` listens. Metrics are not for the public: name another address only in a private network.",
    ),
  port: port
    .optional()
    .describe(
      "Port of `/metrics` for Prometheus (docs/behaviour/observability.md). No other path is served on this port. If not set, nothing is measured. 0: a free port. Must differ from `port` and `metricsPort` if the host is the same. Not to be confused with `metricsPort`, the port of the REST metrics paths.",
    ),
  tracesUrl: url
    .optional()
    .describe(
      "URL of an OpenTelemetry collector that receives traces by OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`. If not set, there are no traces.",
    ),
  tracesHeaders: headers
    .optional()
    .describe("Headers of requests to the collector, such as its token, by their names."),
  tracesSampleRatio: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe(
      "Share of the requests that are traced, such as 0.1 for one in ten. Requests whose caller sent `traceparent` follow the caller's decision.",
    ),
});
