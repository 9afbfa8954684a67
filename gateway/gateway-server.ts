import { answerNotFound } from "../core/http/error-answer.ts";
import { isGraphPath } from "../core/http/graph-path.ts";
import type { ServerOptions } from "../core/http/server.ts";
import type { Graph } from "./graph.ts";

/** What a server that serves only the graph does. It answers all other paths with 404. */
export function createGatewayServer(
  graph: Pick<Graph, "handle" | "upgrade" | "endSubscriptions">,
): Pick<ServerOptions, "handler" | "upgrade" | "acceptsUpgrade" | "onDrain"> {
  return {
    handler: (request, response) =>
      isGraphPath(request.url) ? graph.handle(request, response) : answerNotFound(request, response),
    upgrade: graph.upgrade,
    acceptsUpgrade: ({ url }) => isGraphPath(url),
    onDrain: graph.endSubscriptions,
  };
}
