import prom, { type Registry } from "prom-client";

type AddMetric = (registry: Registry, options: { readonly eventLoopMonitoringPrecision: number }) => void;

/** In milliseconds: the default of prom-client. */
const EVENT_LOOP_PRECISION = 10;
/**
 * The metric `gc` observes each garbage collection by JavaScript, which takes about 3 % of the time of requests for lists. All other metrics
 * are read when they are scraped.
 */
const LEFT_OUT = "gc";

/** Adds the metrics of prom-client about this process and Node.js, without those of garbage collections. */
export async function addProcessMetrics(registry: Registry): Promise<void> {
  const { metricsList } = prom.collectDefaultMetrics as unknown as { readonly metricsList: readonly string[] };
  const names = metricsList.filter((name) => name !== LEFT_OUT);
  const modules = await Promise.all(names.map((name) => import(`prom-client/lib/metrics/${name}.js`)));
  for (const { default: add } of modules as readonly { readonly default: AddMetric }[])
    add(registry, { eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION });
}
