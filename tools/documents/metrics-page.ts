import { METRICS } from "../../core/observability/definitions.ts";
import { REJECTIONS } from "../../core/observability/rejections.ts";

/** Content of docs/metrics.md: every metric with its type, labels and meaning. */
export function metricsPage(): string {
  return [
    "# Metrics",
    "",
    "Generated from `core/observability/definitions.ts` by `npm run generate`. These are the metrics for Prometheus, on the port of",
    "the setting `observability.port`; see [observability](behaviour/observability.md). A process has the series of the parts that",
    "run in it. Each process also has the metrics of `prom-client` about Node.js: `process_*` (processor time, memory, open files)",
    "and `nodejs_*`, such as `nodejs_eventloop_lag_p99_seconds`.",
    "",
    "The metrics in the answers of REST (`/v2/...`) are statistics of chains, which are not listed here: see",
    "[metrics](behaviour/metrics.md).",
    "",
    "| Metric | Type | Meaning |",
    "|---|---|---|",
    ...Object.values(METRICS).map(({ name, type, help }) => `| \`${name}\` | ${type} | ${help} |`),
    "",
    "## Labels",
    "",
    "| Metric | Label | Values |",
    "|---|---|---|",
    ...Object.values(METRICS).flatMap(({ name, labels }) =>
      Object.entries(labels).map(([label, values]) => `| \`${name}\` | \`${label}\` | ${values} |`),
    ),
    "",
    "## Reasons of refusals",
    "",
    "| `reason` | Meaning |",
    "|---|---|",
    ...Object.entries(REJECTIONS).map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`),
    "",
  ].join("\n");
}
