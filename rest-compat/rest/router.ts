import express, { type ErrorRequestHandler, type IRoute, type RequestHandler, type Router } from "express";
import type { Config } from "../../core/config/config-schema.ts";
import { Failure } from "../../core/errors/errors.ts";
import { httpRoute } from "../../core/http/observe-http.ts";
import { createLimitHeaders, type LimitHeadersOf } from "../../core/limits/access/limit-headers.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { createFailureLog } from "../graph/failure-log.ts";
import type { RestPipeline } from "../graph/pipeline.ts";
import { PROBE_LIMIT_MS } from "../graph/run-within.ts";
import type { Dialect } from "../routes.ts";
import { type Base, ROUTES } from "../routes.ts";
import type { Answer, Endpoint } from "./answer.ts";
import { createPreflight } from "./cors.ts";
import { documentEndpoints } from "./documents/endpoints.ts";
import { type CheckHealth, createHealthCheck } from "./health-check.ts";
import { expressPath, normalTarget } from "./path.ts";
import { healthEndpoints } from "./probes.ts";
import { createNotFound, formOf, type ResponseContext, respondWith, sendError } from "./respond.ts";
import { createHeads } from "./revalidation/heads.ts";
import { createUnchanged } from "./revalidation/unchanged.ts";
import { type AnswerContext, createRouteAnswer } from "./route-answer.ts";

export interface ApiOptions {
  readonly config: Pick<Config, "bodyLimitBytes" | "dialect" | "evmChains" | "hostedPrefix" | "keyHeaders">;
  readonly logger: Logger;
  /** The bases to serve. Default: both. The first one decides how errors of unknown paths are written. */
  readonly bases?: readonly Base[];
  /** Aborted when the server starts to stop: the probes then fail. */
  readonly signal?: AbortSignal | undefined;
  /** How long the probes wait for the parts of the service. Default: three seconds. */
  readonly probeLimitMs?: number;
}

/**
 * Builds the Router of all documented REST paths, probes and pages. It answers every request, unknown paths with 404.
 * Throws if the graph lacks something that an operation selects.
 */
export function createApiRouter(pipeline: RestPipeline, options: ApiOptions): Router {
  const { config, logger, bases } = options;
  const { callers, counters, nowMs } = pipeline;
  const limitsOf: LimitsOfBase = {
    data: createLimitHeaders(callers.byKey, counters, nowMs),
    metrics: createLimitHeaders(callers.onMetrics, counters, nowMs),
  };
  const limitHeadersOf = limitsOf[bases?.[0] ?? "data"];
  const failures = createFailureLog(logger);
  const context = { failures, bodyLimitBytes: config.bodyLimitBytes, limitHeadersOf };
  const notFound = createNotFound(limitHeadersOf);
  const form = formOf(bases?.[0] ?? "data");
  const router = express.Router({ caseSensitive: true });
  const onError: ErrorRequestHandler = (error, request, response, _next) =>
    sendError(error, request, response, { failures, form, headers: limitHeadersOf(request) });
  router.use(prepareRequest(config.keyHeaders));
  addEndpoints(router, endpointsOf(pipeline, limitsOf, options), notFound, context);
  return router.use(respondWith(notFound, form, context), onError);
}

/** The rate limit headers by base: metrics paths have limits of their own. */
type LimitsOfBase = Readonly<Record<Base, LimitHeadersOf>>;

/** Maximum number of characters of path and query: enough for 200 addresses. Node itself refuses headers of more than 16 KiB in total. */
const MAX_TARGET_LENGTH = 12_288;

/** What every request needs before it is matched, in one handler: each handler of a Router costs about a microsecond. */
function prepareRequest(keyHeaders: readonly string[]): RequestHandler {
  const preflight = createPreflight(keyHeaders);
  return (request, response, next) => {
    if (request.method === "OPTIONS") {
      preflight(request, response, next);
      return;
    }
    request.url = checkedTarget(request.url);
    next();
  };
}

function checkedTarget(target: string): string {
  if (target.length <= MAX_TARGET_LENGTH) return normalTarget(target);
  throw new Failure(
    "INVALID_PARAMETER",
    `URL must be of at most ${MAX_TARGET_LENGTH} characters, got ${target.length}`,
  );
}

/** Names of Express's functions. */
const METHODS = { GET: "get", POST: "post" } as const;

/** Adds the paths with their methods. Any other method of a path is 404: the REST specification has no 405. */
function addEndpoints(
  router: Router,
  endpoints: readonly Endpoint[],
  notFound: Answer,
  context: ResponseContext,
): void {
  const routes = new Map<string, IRoute>();
  for (const { path, method, answer, base, limitHeadersOf } of endpoints) {
    const route = routes.get(path) ?? router.route(expressPath(path));
    const ofPath = { ...context, route: httpRoute(path), limitHeadersOf };
    routes.set(path, route[METHODS[method]](respondWith(answer, formOf(base), ofPath)));
  }
  for (const { path, base } of endpoints) routes.get(path)?.all(respondWith(notFound, formOf(base), context));
}

function endpointsOf(pipeline: RestPipeline, limitsOf: LimitsOfBase, options: ApiOptions): Endpoint[] {
  const { graph, nowMs } = pipeline;
  const { config, bases, signal, probeLimitMs = PROBE_LIMIT_MS } = options;
  const context: EndpointContext = {
    pipeline,
    limitsOf,
    signal,
    checkHealth: createHealthCheck(graph, config.evmChains, probeLimitMs),
    unchanged: createUnchanged(createHeads(graph, nowMs), nowMs),
  };
  const endpoints = [...dialectEndpoints("", config.dialect, context), ...documentEndpoints(config)];
  if (config.hostedPrefix !== "") endpoints.push(...dialectEndpoints(config.hostedPrefix, "hosted", context));
  return bases ? endpoints.filter(({ base }) => bases.includes(base)) : endpoints;
}

interface EndpointContext extends AnswerContext {
  readonly limitsOf: LimitsOfBase;
  readonly signal: AbortSignal | undefined;
  readonly checkHealth: CheckHealth;
}

/** All routes and probes in one dialect, below a prefix. */
function dialectEndpoints(prefix: string, dialect: Dialect, context: EndpointContext): Endpoint[] {
  const served = ROUTES.filter(({ onlyDialect = dialect }) => onlyDialect === dialect);
  const routes = served.map((route) => ({
    ...route,
    answer: createRouteAnswer(route, dialect, context),
    limitHeadersOf: context.limitsOf[route.base],
  }));
  return [...routes, ...healthEndpoints(context.checkHealth, context.signal)].map((endpoint) => ({
    ...endpoint,
    path: prefix + endpoint.path,
  }));
}
