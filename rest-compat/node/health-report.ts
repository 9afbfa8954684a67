import type { GraphClient } from "../../core/graph-client.ts";
import type { AccessControl, NodeAnswer } from "./access-control.ts";
import { prepareCall } from "./graph-call.ts";
import { jsonReply } from "./http/reply.ts";
import { queryValues } from "./http/target.ts";
import { REPORT } from "./rpc/methods.ts";
import { write } from "./rpc/result-shape.ts";

/** Answers a plain health path: 200 if healthy, else 503. It needs no API key and costs no compute units. */
export function createHealthReport(operation: string, graph: GraphClient, access: AccessControl): NodeAnswer {
  const call = prepareCall(graph, operation, access.isPublic);
  return async (nodeRequest) => {
    try {
      const report = await call({ tags: queryValues(nodeRequest.query, "tag") }, { requestId: nodeRequest.requestId });
      return jsonReply(report["healthy"] === true ? 200 : 503, `${write(REPORT, report)}\n`);
    } catch (error) {
      return access.refuse(error, null, nodeRequest);
    }
  };
}
