import type { IncomingMessage } from "node:http";
import { answerJson, answerNotFound } from "../core/http/error-answer.ts";
import { isGatewayPath, isGraphPath } from "../core/http/graph-path.ts";
import type { ServerOptions } from "../core/http/server.ts";
import type { OpenGraph } from "./open-graph.ts";

/** What a server that serves only the graph does: the graph, its schemas, and `/health`. It answers all other paths with 404. */
export function createGatewayServer({
  graph,
  status,
}: Pick<OpenGraph, "graph" | "status">): Pick<ServerOptions, "handler" | "upgrade" | "acceptsUpgrade" | "onDrain"> {
  return {
    handler(request, response) {
      if (isGatewayPath(request.url)) graph.handle(request, response);
      else if (isHealthRequest(request)) answerJson(response, 200, healthText(status()));
      else answerNotFound(request, response);
    },
    upgrade: graph.upgrade,
    acceptsUpgrade: ({ url }) => isGraphPath(url),
    onDrain: graph.endSubscriptions,
  };
}

const isHealthRequest = ({ method, url = "" }: IncomingMessage): boolean =>
  (method === "GET" || method === "HEAD") && url.split("?", 1)[0] === "/health";

/** A gateway that answers is healthy: a supergraph that is out of date is a warning. */
const healthText = (supergraph: object | null): string =>
  JSON.stringify({ healthy: true, ...(supergraph && { supergraph }) });
