import type { GraphClient } from "../../core/graph/graph-client.ts";
import type { AccessControl, NodeAnswer } from "./access-control.ts";
import { prepareCall } from "./graph-call.ts";
import { jsonReply } from "./http/reply.ts";
import { queryValues } from "./http/target.ts";
import { REPORT } from "./rpc/methods.ts";
import { write } from "./rpc/result-shape.ts";
import { createShutdownCheck } from "./shutdown-check.ts";

export interface HealthReportContext {
  readonly graph: GraphClient;
  readonly access: AccessControl;
  /** Aborted when the server starts to stop. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Answers a plain health path: 200 if healthy, else 503. It needs no API key and costs no compute units. While the server stops,
 * the report contains the failed check `shuttingDown`.
 */
export function createHealthReport(operation: string, { graph, access, signal }: HealthReportContext): NodeAnswer {
  const { run, bodyOf } = prepareCall(graph, operation, access);
  const shutdown = createShutdownCheck(signal);
  return async (nodeRequest) => {
    try {
      const { requestId, work, query } = nodeRequest;
      const result = await run({ tags: queryValues(query, "tag") }, { requestId, work });
      const report = shutdown.addTo(bodyOf(result));
      return jsonReply(report["healthy"] === true ? 200 : 503, `${write(REPORT, report)}\n`);
    } catch (error) {
      return access.refuse(error, null, nodeRequest);
    }
  };
}
