import type { Config } from "../core/config-schema.ts";
import type { GraphClient } from "../core/graph-client.ts";
import type { Logger } from "../core/logger.ts";
import type { RateCounters } from "../core/rate-counters.ts";
import { type AccessConfig, createAccess } from "./access/callers.ts";
import { createRateLimit } from "./access/rate-limit.ts";
import { type Entry, resourcesOf } from "./rest/answer.ts";
import { preflightHeaders } from "./rest/cors.ts";
import { documentEntries, healthEntries } from "./rest/pages.ts";
import { createRouter } from "./rest/path.ts";
import { formOf } from "./rest/reply.ts";
import { createHandler, type RestHandler } from "./rest/respond.ts";
import { createEndpoint, type EndpointContext } from "./rest/route-answer.ts";
import type { Dialect } from "./rest/serialise/dialects.ts";
import { type Base, ROUTES } from "./routes.ts";

export interface RestOptions {
  readonly graph: GraphClient;
  readonly config: AccessConfig & Pick<Config, "bodyLimitBytes" | "dialect" | "hostedPrefix">;
  readonly logger: Logger;
  readonly counters: RateCounters;
  /** The clock of rate limits. */
  readonly nowMs?: () => number;
  /** Bases that this listener serves; both when absent. Errors of unknown paths read as the first one's. */
  readonly bases?: readonly Base[];
}

/** Compiles every route against the graph, once. Throws when the graph lacks what an operation asks for. */
export function createRest(options: RestOptions): RestHandler {
  const { config, logger, bases } = options;
  return createHandler({
    router: createRouter(resourcesOf(entriesOf(options))),
    form: formOf(bases?.[0] ?? "data"),
    preflight: preflightHeaders(config.keyHeaders),
    logger,
    bodyLimitBytes: config.bodyLimitBytes,
  });
}

function entriesOf({ graph, config, counters, nowMs = Date.now, bases }: RestOptions): Entry[] {
  const context = { graph, access: createAccess(config), charge: createRateLimit(counters, nowMs) };
  const entries = [...documentEntries(), ...mount("", config.dialect, context)];
  if (config.hostedPrefix !== "") entries.push(...mount(config.hostedPrefix, "hosted", context));
  return bases ? entries.filter(({ base }) => bases.includes(base)) : entries;
}

/** Every route and probe in one dialect, below a prefix. */
function mount(prefix: string, dialect: Dialect, context: EndpointContext): Entry[] {
  const routes = ROUTES.map((route) => ({ ...route, answer: createEndpoint(route, dialect, context) }));
  return [...routes, ...healthEntries(context.graph)].map((entry) => ({ ...entry, path: prefix + entry.path }));
}
