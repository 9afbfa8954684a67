import type { IncomingMessage, ServerResponse } from "node:http";
import type { Request, Response } from "express";
import type { ServerOptions } from "../core/http/server.ts";
import { requireKnownRoutes } from "../core/limits/access/key-requirements.ts";
import { createRestPipeline } from "./graph/pipeline.ts";
import { createNodeInterface } from "./node/interface.ts";
import { answerMalformedRequest } from "./rest/malformed-request.ts";
import { errorReply, formOf, send, sendWithoutEnd } from "./rest/respond.ts";
import { createApiRouter } from "./rest/router.ts";
import { type RestOptions, ROUTE_NAMES } from "./rest-router.ts";

export type RestServer = Required<Pick<ServerOptions, "handler" | "clientError" | "refuse">>;

/**
 * The request handler of Moraine's own server: like `createRestRouter`, but without an `express()` app, which would need more
 * processor time than the rest of a request. Throws as `createRestRouter` does.
 */
export function createRestServer(options: RestOptions): RestServer {
  const { bases } = options;
  requireKnownRoutes(options.config, ROUTE_NAMES);
  const pipeline = createRestPipeline(options);
  const router = createApiRouter(pipeline, options);
  const form = formOf(bases?.[0] ?? "data");
  const nodePaths = bases && !bases.includes("data") ? null : createNodeInterface(pipeline, options);
  const handler: RestServer["handler"] = (request, response) => {
    if (nodePaths?.isNodePath(request.url)) return nodePaths.handle(request, response);
    // The Router and its handlers use only members of the classes of Node.js, and what the Router itself sets.
    router(request as Request, response as Response, () => answerWithoutPath(request, response));
  };
  /** The Router leaves only a request whose target has no path. */
  const answerWithoutPath = (request: IncomingMessage, response: ServerResponse) =>
    send(response, errorReply("NOT_FOUND", `Cannot ${request.method} ${request.url}`, form), []);
  return {
    handler,
    clientError(error, socket) {
      if (!nodePaths?.clientError(error, socket)) answerMalformedRequest(error, socket);
    },
    refuse(request, response, reason) {
      // On a node's paths, such requests get the error texts of a node.
      if (nodePaths?.isNodePath(request.url)) return nodePaths.handle(request, response);
      sendWithoutEnd(response, errorReply("INVALID_PARAMETER", reason, form), [])();
    },
  };
}
