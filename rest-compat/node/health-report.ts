import type { GraphClient } from "../../core/graph-client.ts";
import type { Desk, NodeAnswer } from "./access-control.ts";
import { compileAsk } from "./graph-call.ts";
import { jsonReply } from "./http/reply.ts";
import { queryValues } from "./http/target.ts";
import { REPORT } from "./rpc/methods.ts";
import { write } from "./rpc/result-shape.ts";

/** Tells health with the status that says it too. A probe: it costs nothing and takes no key. */
export function createReport(operation: string, graph: GraphClient, desk: Desk): NodeAnswer {
  const ask = compileAsk(graph, operation, desk.isPublic);
  return async (opened) => {
    try {
      const report = await ask({ tags: queryValues(opened.query, "tag") }, opened.requestId);
      return jsonReply(report["healthy"] === true ? 200 : 503, `${write(REPORT, report)}\n`);
    } catch (error) {
      return desk.refuse(error, null, opened);
    }
  };
}
