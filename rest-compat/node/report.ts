import type { GraphClient } from "../../core/graph-client.ts";
import { compileAsk } from "./ask.ts";
import type { Desk, NodeAnswer } from "./desk.ts";
import { queryValues } from "./go-http.ts";
import { REPORT } from "./methods.ts";
import { jsonReply } from "./reply.ts";
import { write } from "./shape.ts";

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
