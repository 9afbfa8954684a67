import { type ExecutionResult, execute, parse } from "graphql";
import type { Config } from "../core/config/config-schema.ts";
import { SUBGRAPHS } from "../core/config/subgraphs.ts";
import type { Database } from "../core/database/database.ts";
import { isGraphPath } from "../core/http/graph-path.ts";
import {
  IDLE_GRACE_MS,
  publicServer,
  type RunningServer,
  refuseWithGraphqlError,
  type ServerOptions,
  startServer,
} from "../core/http/server.ts";
import { serverUrl as urlOf } from "../core/http/server-url.ts";
import { type ApiKeys, createApiKeys } from "../core/limits/access/api-keys.ts";
import { createAdmission } from "../core/limits/admission/admission.ts";
import type { RateCounters } from "../core/limits/rate-counters.ts";
import type { Logger } from "../core/observability/logger.ts";
import { createWork } from "../core/work/work.ts";
import { createDownloads, type Downloads } from "../exporter/downloads/downloads.ts";
import { createGraph, type Graph } from "../gateway/graph.ts";
import { committedSupergraph } from "../gateway/supergraph.ts";
import { createRestServer, type RestServer } from "../rest-compat/rest-server.ts";
import type { ServiceUrl } from "../signatures/protocol/client.ts";
import { createSubgraphs, type RunningSubgraph } from "../subgraphs/load.ts";
import { disposeInReverse } from "./dispose-in-reverse.ts";

const PROBE = "{ __typename }";
/** How long subscriptions stay open after the last report of the health. */
const LAST_EVENTS_MS = 200;

export interface MoraineDeps {
  readonly config: Config;
  readonly database: Database;
  readonly counters: RateCounters;
  /** Default: the API keys of the settings. */
  readonly apiKeys?: ApiKeys;
  readonly logger: Logger;
  /** URL of the signature service. Not used if the setting `signatures.serviceUrl` is given. */
  readonly signatureServiceUrl?: ServiceUrl;
  /** Rejects if the signature service cannot answer. Default: its health is not checked. */
  readonly checkSignatures?: (signal: AbortSignal) => Promise<void>;
  /** See `startServer`. */
  readonly idleGraceMs?: number;
  /** The API starts to shut down when this signal is aborted, or when the API is disposed. */
  readonly signal?: AbortSignal | undefined;
  /** Called before the ports are opened. Default: builds what the first operations need, so that this work delays no request. */
  prepare?(graph: Graph): Promise<void>;
}

/** The API in one process: graph and REST on one port, the metrics paths on a separate port if one is configured. */
export interface Moraine extends AsyncDisposable {
  readonly graph: Graph;
  readonly port: number;
  /** Null when the metrics paths are on the same port. */
  readonly metricsPort: number | null;
}

/** Starts the API over a database that an indexer writes. If it cannot start, rejects when everything that was opened is closed again. */
export async function startMoraine(deps: MoraineDeps): Promise<Moraine> {
  const opened: AsyncDisposable[] = [];
  const use: Use = (resource) => {
    opened.push(resource);
    return resource;
  };
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  if (deps.signal?.aborted) stop();
  else deps.signal?.addEventListener("abort", stop, { once: true });
  const dispose = async () => {
    // All servers start to stop at the same time.
    stop();
    await disposeInReverse(opened);
  };
  try {
    return { ...(await openParts({ ...deps, signal: stopping.signal }, use)), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    // The reason why it could not start is the one to report.
    await dispose().catch(() => {});
    throw error;
  }
}

/** Registers a resource, which is disposed after those that are registered later. */
type Use = <Resource extends AsyncDisposable>(resource: Resource) => Resource;

/** Opens the subgraphs and the graph, prepares the graph, and opens the ports. */
async function openParts(deps: MoraineDeps, use: Use): Promise<Omit<Moraine, keyof AsyncDisposable>> {
  const { config, database, counters, apiKeys = createApiKeys(config), logger } = deps;
  const { idleGraceMs = IDLE_GRACE_MS, signal, prepare = (graph: Graph) => graph.warmUp() } = deps;
  const { host, metricsPort } = config;
  const later: LaterParts = {
    // `server` is assigned below, before the first download link is made.
    serverUrl: () => urlOf(host, server.port),
    // `graph` is assigned below, before `start` runs the probes for the first time.
    probeGateway: () => assertAnswers(graph.prepare(PROBE)({}, { work: createWork(), requestId: "health-check" })),
  };
  const subgraphs = await openSubgraphs({ ...deps, apiKeys }, later, use);
  const admission = createAdmission(config, logger);
  const graph = use(
    createGraph({ supergraph: committedSupergraph(), subgraphs, logger, config, apiKeys, admission, counters }),
  );
  const restServer = (bases: readonly ("data" | "metrics")[]) =>
    createRestServer({ graph, config, logger, counters, apiKeys, admission, bases, signal });
  const rest = restServer(metricsPort === undefined ? ["data", "metrics"] : ["data"]);
  const metricsRest = metricsPort === undefined ? null : restServer(["metrics"]);
  // After both REST servers have prepared their operations.
  await prepare(graph);
  const listen = async (options: Omit<ServerOptions, "host">): Promise<RunningServer> =>
    use(await startServer({ ...publicServer(config), idleGraceMs, signal, ...options }));
  const downloads = createDownloads({ config, pool: database.pool, logger });
  const onDrain = () => {
    // Subscribers to health get a last report before their subscriptions end. It waits for its turn like every event.
    const announced = Promise.all(subgraphs.map((subgraph) => subgraph.announceShutdown?.()));
    void announced.finally(() => setTimeout(graph.endSubscriptions, LAST_EVENTS_MS));
  };
  const server = await listen({ port: config.port, onDrain, ...withGraph(withDownloads(rest, downloads), graph) });
  for (const subgraph of subgraphs) subgraph.start?.();
  const metricsServer =
    metricsPort === undefined || !metricsRest
      ? null
      : await listen({ port: metricsPort, portSetting: "metricsPort", ...metricsRest });
  return { graph, port: server.port, metricsPort: metricsServer?.port ?? null };
}

/** What the subgraphs need of the server and the gateway, which are created after them. */
interface LaterParts {
  readonly serverUrl: () => string;
  readonly probeGateway: () => Promise<void>;
}

/** Creates all subgraphs in this process. The node subgraph probes the others and the gateway. */
async function openSubgraphs(
  { config, database, logger, apiKeys, signatureServiceUrl = () => null, checkSignatures }: MoraineDeps,
  { serverUrl, probeGateway }: LaterParts,
  use: Use,
): Promise<readonly RunningSubgraph[]> {
  const serviceUrl: ServiceUrl = (signal) => config.signatures.serviceUrl ?? signatureServiceUrl(signal);
  const probe = async (name: string) => {
    // `subgraphs` is assigned below, before the probes run for the first time.
    const subgraph = subgraphs.find((one) => one.name === name);
    if (subgraph) await assertAnswers(execute({ schema: subgraph.schema, document: parse(PROBE) }));
  };
  const probed = SUBGRAPHS.filter(({ isProbed }) => isProbed);
  const probes = {
    gateway: probeGateway,
    ...Object.fromEntries(probed.map(({ name }) => [name, () => probe(name)])),
    ...(checkSignatures && { "signature-service": checkSignatures }),
  };
  const subgraphs = await createSubgraphs({ config, database, logger, apiKeys, serverUrl, serviceUrl, probes }, use);
  return subgraphs;
}

async function assertAnswers(result: ExecutionResult | PromiseLike<ExecutionResult>): Promise<void> {
  const [error] = (await result).errors ?? [];
  if (error) throw error;
}

/** Serves exported files at their paths, and REST at all others. */
function withDownloads(rest: RestServer, downloads: Downloads): RestServer {
  return {
    ...rest,
    handler: (request, response) =>
      downloads.accepts(request) ? downloads.handle(request, response) : rest.handler(request, response),
  };
}

/** Serves the graph at its path, and REST at all others. */
function withGraph(rest: RestServer, graph: Graph): Omit<ServerOptions, "host" | "port"> {
  return {
    handler: (request, response) =>
      isGraphPath(request.url) ? graph.handle(request, response) : rest.handler(request, response),
    refuse: (request, response, reason) =>
      isGraphPath(request.url)
        ? refuseWithGraphqlError(request, response, reason)
        : rest.refuse(request, response, reason),
    clientError: rest.clientError,
    upgrade: graph.upgrade,
    acceptsUpgrade: ({ url }) => isGraphPath(url),
  };
}
