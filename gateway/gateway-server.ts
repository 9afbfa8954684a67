import { answerNotFound } from "../core/http/error-answer.ts";
import type { ServerOptions } from "../core/http/server.ts";
import type { Graph } from "./graph.ts";
import { GRAPHQL_PATH } from "./transports/http.ts";

/** True for a request target with the path of the graph, also with a slash at its end. A proxy may send the target as a URL (RFC 9112, 3.2.2). */
export function isGraphPath(url = ""): boolean {
  if (url.startsWith(GRAPHQL_PATH)) return /^\/?(\?|$)/.test(url.slice(GRAPHQL_PATH.length));
  return !url.startsWith("/") && URL.canParse(url) && isGraphPath(new URL(url).pathname);
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
