import { startRecording } from "../../core/observability/registry.ts";
import type { Rejection } from "../../core/observability/rejections.ts";

/** Starts to record Prometheus metrics. Returns the function that reads how many refusals of a reason were counted. */
export async function recordRejections(): Promise<(reason: Rejection) => Promise<number>> {
  const registry = await startRecording();
  return async (reason) => {
    const metric = await registry.getSingleMetric("moraine_requests_rejected_total")?.get();
    return metric?.values.find(({ labels }) => labels["reason"] === reason)?.value ?? 0;
  };
}
