import type { ChildProcess, Serializable } from "node:child_process";
import type { MetricObjectWithValues, MetricValue, Registry } from "prom-client";
import { startRecording } from "./registry.ts";

type Metrics = MetricObjectWithValues<MetricValue<string>>[];

/** Asks a forked process for its metrics. */
const REQUEST = "metrics";
/** The answer to the request. */
interface Answer {
  readonly metrics: Metrics;
}

/** A process that has not answered after this time contributes nothing. The time is longer than the read of a gauge may take. */
const ANSWER_TIMEOUT_MS = 2_000;

const forked = new Set<ChildProcess>();

/** Adds the metrics of a process that this one has forked to those of this process, until it ends. */
export function includeMetricsOf(child: ChildProcess): void {
  forked.add(child);
  child.once("exit", () => forked.delete(child));
}

/** Switches metrics on in a forked process. They have the label `process`. */
export async function recordForParent(name: string): Promise<void> {
  const registry = await startRecording();
  registry.setDefaultLabels({ process: name });
  process.on("message", (message) => {
    if (message !== REQUEST) return;
    registry.getMetricsAsJSON().then(
      (metrics) => process.send?.({ metrics } satisfies Answer, undefined, undefined, () => {}),
      () => {},
    );
  });
}

/** The text for Prometheus: the metrics of this process and of those that it has forked. */
export async function metricsText(registry: Registry): Promise<string> {
  const [own, ...others] = await Promise.all([registry.getMetricsAsJSON(), ...[...forked].map(metricsOf)]);
  if (others.length === 0) return registry.metrics();
  const { AggregatorRegistry } = (await import("prom-client")).default;
  // Equal metrics of several processes differ by their labels, so no values are added up.
  const distinct = [own, ...others].map((metrics) => metrics.map((metric) => ({ ...metric, aggregator: "first" })));
  return AggregatorRegistry.aggregate(distinct).metrics();
}

function metricsOf(child: ChildProcess): Promise<Metrics> {
  return new Promise((resolve) => {
    const settle = (metrics: Metrics) => {
      clearTimeout(timer);
      child.off("message", onMessage);
      resolve(metrics);
    };
    const onMessage = (message: Serializable) => {
      if (isAnswer(message)) settle(message.metrics);
    };
    const timer = setTimeout(settle, ANSWER_TIMEOUT_MS, []);
    child.on("message", onMessage);
    child.send(REQUEST, (error) => {
      if (error) settle([]);
    });
  });
}

function isAnswer(message: unknown): message is Answer {
  return typeof message === "object" && message !== null && "metrics" in message;
}
