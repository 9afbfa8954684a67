import type { Registry } from "prom-client";
import { startRecording } from "../../core/observability/registry.ts";
import type { Rejection } from "../../core/observability/rejections.ts";

/** Switches metrics on, and removes what tests that ran earlier in the same process have counted. */
export async function startMetrics(): Promise<Registry> {
  const registry = await startRecording();
  // Values that are not yet in the registry are added to it first.
  await registry.getMetricsAsJSON();
  registry.resetMetrics();
  return registry;
}

/** Switches metrics on. Returns the function that reads how many refusals of a reason were counted since then. */
export async function recordRejections(): Promise<(reason: Rejection) => Promise<number>> {
  const registry = await startMetrics();
  return async (reason) => {
    const metric = await registry.getSingleMetric("moraine_requests_rejected_total")?.get();
    return metric?.values.find(({ labels }) => labels["reason"] === reason)?.value ?? 0;
  };
}
