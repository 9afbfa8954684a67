import { answerNotFound } from "../core/http/error-answer.ts";
import type { ServerOptions } from "../core/server.ts";
import type { Graph } from "./graph.ts";
import { GRAPHQL_PATH } from "./transports/http.ts";

/** True for a request target with the path of the graph. A proxy may send the target as a URL (RFC 9112, 3.2.2). */
export function isGraphPath(url = ""): boolean {
  if (url === GRAPHQL_PATH || url.startsWith(`${GRAPHQL_PATH}?`)) return true;
  return !url.startsWith("/") && URL.canParse(url) && new URL(url).pathname === GRAPHQL_PATH;
}

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
