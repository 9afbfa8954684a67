import express, { type RequestHandler, type Router } from "express";
import { setDefaultHeaders } from "../core/http/response.ts";
import { requireKnownRoutes } from "../core/limits/access/key-requirements.ts";
import { createRestPipeline, type PipelineOptions } from "./graph/pipeline.ts";
import type { AccessControlConfig } from "./node/access-control.ts";
import { createNodeInterface } from "./node/interface.ts";
import { METHODS } from "./node/rpc/methods.ts";
import { type ApiOptions, createApiRouter } from "./rest/router.ts";
import { ROUTES } from "./routes.ts";

/** What `keyRequirements[].routes` can contain: the numbers of routes and the names of JSON-RPC methods. */
export const ROUTE_NAMES = [...ROUTES.map(({ id }) => id), ...METHODS.map(({ name }) => name)];

export interface RestOptions extends Omit<PipelineOptions, "config">, Omit<ApiOptions, "config"> {
  readonly config: PipelineOptions["config"] & ApiOptions["config"] & AccessControlConfig;
}

/**
 * An Express 5 Router of the REST paths and, unless `bases` excludes the data routes, of a node's JSON-RPC and health paths
 * (`/ext`). Mount it with `app.use("/prefix", createRestRouter(options))`: it answers every request below the prefix, with
 * 404 if no route matches, and needs the requests' bodies unread. Throws if the graph lacks something that an operation selects, or
 * if `keyRequirements` names an unknown route or field.
 */
export function createRestRouter(options: RestOptions): Router {
  requireKnownRoutes(options.config, ROUTE_NAMES);
  const { bases } = options;
  const pipeline = createRestPipeline(options);
  const nodePaths = bases && !bases.includes("data") ? null : createNodeInterface(pipeline, options);
  const prepare: RequestHandler = (request, response, next) => {
    if (nodePaths?.isNodePath(request.url)) return nodePaths.handle(request, response, request.baseUrl);
    setDefaultHeaders(response);
    next();
  };
  return express.Router({ caseSensitive: true }).use(prepare, createApiRouter(pipeline, options));
}
