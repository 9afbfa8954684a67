import { setTimeout as sleep } from "node:timers/promises";
import { type ExecutionResult, execute, parse } from "graphql";
import type { Config } from "../core/config/config-schema.ts";
import { SUBGRAPHS } from "../core/config/subgraphs.ts";
import type { Databases } from "../core/database/database.ts";
import { isGatewayPath, isGraphPath } from "../core/http/graph-path.ts";
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
import type { Graph } from "../gateway/graph.ts";
import { type Earlier, type OpenGraph, openGraph } from "../gateway/open-graph.ts";
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
  readonly database: Databases;
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
  /**
   * Answers all further requests by other settings. The ports and their settings stay. Requests that have arrived are answered by the
   * earlier settings, and subscriptions end, so that clients start them again. Rejects if the settings cannot be used; then nothing has
   * changed.
   */
  replace(deps: ReplacedDeps): Promise<void>;
  /** Reads the supergraph again, by this setting. Requests and subscriptions go on. Rejects if it cannot be used; then nothing has changed. */
  reloadGraph(settings: Config["graph"]): Promise<void>;
}

/** What other settings can change while the ports stay open. */
export type ReplacedDeps = Omit<MoraineDeps, "idleGraceMs" | "signal">;

/** Starts the API over a database that an indexer writes. If it cannot start, rejects when everything that was opened is closed again. */
export async function startMoraine(deps: MoraineDeps): Promise<Moraine> {
  const { config, idleGraceMs = IDLE_GRACE_MS } = deps;
  const { metricsPort } = config;
  const servers: AsyncDisposable[] = [];
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  if (deps.signal?.aborted) stop();
  else deps.signal?.addEventListener("abort", stop, { once: true });
  // `server` is assigned below, before the first download link is made.
  const serverUrl = () => urlOf(config.host, server.port);
  const { signal } = stopping;
  let present = config;
  let api = await openApi(deps, { serverUrl, signal, earlier: null });
  const dispose = async () => {
    // All servers start to stop at the same time.
    stop();
    await disposeInReverse([api, ...servers]);
  };
  const listen = async (options: Omit<ServerOptions, "host">): Promise<RunningServer> => {
    const server = await startServer({ ...publicServer(config), idleGraceMs, signal, ...options });
    servers.push(server);
    return server;
  };
  let server: RunningServer;
  let metricsServer: RunningServer | null = null;
  try {
    const onDrain = () => api.drain();
    server = await listen({ port: config.port, onDrain, ...answeredBy(() => api.requests) });
    api.start();
    if (metricsPort !== undefined)
      metricsServer = await listen({
        port: metricsPort,
        portSetting: "metricsPort",
        ...answeredBy(() => api.metricsRequests ?? api.requests),
      });
  } catch (error) {
    // The reason why it could not start is the one to report.
    await dispose().catch(() => {});
    throw error;
  }
  return {
    get graph() {
      return api.graph;
    },
    port: server.port,
    metricsPort: metricsServer?.port ?? null,
    async replace(others) {
      const earlier = api;
      const { supergraph } = earlier.graph.current;
      api = await openApi(others, { serverUrl, signal, earlier: { settings: present.graph, supergraph } });
      present = others.config;
      api.start();
      earlier.drain();
      await earlier.answered(config.shutdown.limitSeconds * 1_000);
      await earlier[Symbol.asyncDispose]();
    },
    async reloadGraph(settings) {
      await api.reloadGraph(settings);
      present = { ...present, graph: settings };
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** Registers a resource, which is disposed after those that are registered later. */
type Use = <Resource extends AsyncDisposable>(resource: Resource) => Resource;

/** How a server answers what arrives. */
type Requests = Pick<ServerOptions, "handler" | "refuse" | "clientError" | "upgrade" | "acceptsUpgrade">;

/** The API without its ports. */
interface Api extends AsyncDisposable {
  readonly graph: Graph;
  readonly requests: Requests;
  /** Null if the metrics paths have no port of their own. */
  readonly metricsRequests: Requests | null;
  readonly reloadGraph: OpenGraph["reload"];
  /** Starts what runs in the background. Called when the ports are open. */
  start(): void;
  /** Ends the subscriptions, after a last report to those of the health. */
  drain(): void;
  /** Resolves when all requests are answered, or when the time is up. */
  answered(limitMs: number): Promise<void>;
}

/** Where an API is opened. */
interface Place {
  readonly serverUrl: () => string;
  /** Aborted when the servers start to stop. */
  readonly signal: AbortSignal;
  /** The graph of the API that this one replaces. */
  readonly earlier: Earlier | null;
}

/** Opens the subgraphs and the graph, and prepares the graph. If that fails, rejects when what was opened is closed again. */
async function openApi(deps: ReplacedDeps, place: Place): Promise<Api> {
  const opened: AsyncDisposable[] = [];
  const use: Use = (resource) => {
    opened.push(resource);
    return resource;
  };
  const stopping = new AbortController();
  try {
    const parts = await openParts(deps, place, stopping, use);
    return { ...parts, [Symbol.asyncDispose]: () => disposeInReverse(opened) };
  } catch (error) {
    await disposeInReverse(opened).catch(() => {});
    throw error;
  }
}

async function openParts(
  deps: ReplacedDeps,
  { serverUrl, signal: ended, earlier }: Place,
  stopping: AbortController,
  use: Use,
): Promise<Omit<Api, keyof AsyncDisposable>> {
  const { config, database, counters, apiKeys = createApiKeys(config), logger } = deps;
  const { prepare = (graph: Graph) => graph.warmUp() } = deps;
  const { signal } = stopping;
  const later: LaterParts = {
    serverUrl,
    // `opened` and `graph` are assigned below, before `start` runs the probes for the first time.
    supergraph: () => opened.status(),
    probeGateway: () => assertAnswers(graph.prepare(PROBE)({}, { work: createWork(), requestId: "health-check" })),
  };
  const subgraphs = await openSubgraphs({ ...deps, apiKeys }, later, use);
  const admission = createAdmission(config, logger);
  const opened = use(
    await openGraph({
      own: subgraphs,
      ownSupergraph: committedSupergraph(),
      earlier,
      signal: ended,
      logger,
      config,
      apiKeys,
      admission,
      counters,
    }),
  );
  const { graph } = opened;
  const hasMetricsPort = config.metricsPort !== undefined;
  const restServer = (bases: readonly ("data" | "metrics")[]) =>
    createRestServer({ graph, config, logger, counters, apiKeys, admission, bases, signal });
  const rest = restServer(hasMetricsPort ? ["data"] : ["data", "metrics"]);
  const metricsRest = hasMetricsPort ? restServer(["metrics"]) : null;
  // After both REST servers have prepared their operations.
  await prepare(graph);
  const downloads = createDownloads({ config, pool: database.pool, logger });
  const unanswered = countUnanswered();
  return {
    graph,
    requests: unanswered.counted(withGraph(withDownloads(rest, downloads), graph)),
    metricsRequests: metricsRest && unanswered.counted(metricsRest),
    reloadGraph: opened.reload,
    start() {
      for (const subgraph of subgraphs) subgraph.start?.();
      opened.startPolling();
    },
    drain() {
      stopping.abort();
      // Subscribers to health get a last report before their subscriptions end. It waits for its turn like every event.
      const announced = Promise.all(subgraphs.map((subgraph) => subgraph.announceShutdown?.()));
      void announced.finally(() => setTimeout(graph.endSubscriptions, LAST_EVENTS_MS));
    },
    answered: unanswered.none,
  };
}

/** Requests that are answered by the present API. */
function answeredBy(requests: () => Requests): Requests {
  return {
    handler: (request, response) => requests().handler(request, response),
    refuse: (...args) => requests().refuse?.(...args),
    clientError: (...args) => requests().clientError?.(...args),
    upgrade: (...args) => requests().upgrade?.(...args),
    acceptsUpgrade: (request) => requests().acceptsUpgrade?.(request) ?? false,
  };
}

/** Counts requests that have arrived and are not answered. */
function countUnanswered() {
  let count = 0;
  let becameZero = (): void => {};
  return {
    counted: ({ handler, ...others }: Requests): Requests => ({
      ...others,
      handler(request, response) {
        count++;
        response.once("close", () => {
          if (--count === 0) becameZero();
        });
        handler(request, response);
      },
    }),
    /** Resolves when there are none, or when the time is up. */
    async none(limitMs: number): Promise<void> {
      if (count === 0) return;
      const limit = new AbortController();
      const zero = new Promise<void>((resolve) => {
        becameZero = resolve;
      });
      await Promise.race([zero, sleep(limitMs, null, limit).catch(() => {})]);
      limit.abort();
    },
  };
}

/** What the subgraphs need of the server and the gateway, which are created after them. */
interface LaterParts {
  readonly serverUrl: () => string;
  readonly probeGateway: () => Promise<void>;
  readonly supergraph: () => object | null;
}

/** Creates all subgraphs in this process. The node subgraph probes the others and the gateway. */
async function openSubgraphs(
  { config, database, logger, apiKeys, signatureServiceUrl = () => null, checkSignatures }: ReplacedDeps,
  { serverUrl, probeGateway, supergraph }: LaterParts,
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
  const subgraphs = await createSubgraphs(
    { config, database, logger, apiKeys, serverUrl, serviceUrl, probes, supergraph },
    use,
  );
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

/** Serves the graph and its schemas at their paths, and REST at all others. */
function withGraph(rest: RestServer, graph: Graph): Requests {
  return {
    handler: (request, response) =>
      isGatewayPath(request.url) ? graph.handle(request, response) : rest.handler(request, response),
    refuse: (request, response, reason) =>
      isGraphPath(request.url)
        ? refuseWithGraphqlError(request, response, reason)
        : rest.refuse(request, response, reason),
    clientError: rest.clientError,
    upgrade: graph.upgrade,
    acceptsUpgrade: ({ url }) => isGraphPath(url),
  };
}
