import express from "express";
import type { Config } from "../../core/config/config-schema.ts";
import type { Databases } from "../../core/database/database.ts";
import { GRAPHQL_PATH } from "../../core/http/graph-path.ts";
import { type ServerOptions, startServer } from "../../core/http/server.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createDownloads } from "../../exporter/downloads/downloads.ts";
import { createGraph } from "../../gateway/graph.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { createRestRouter, type RestOptions } from "../../rest-compat/rest-router.ts";
import { createRestServer } from "../../rest-compat/rest-server.ts";
import { createSubgraphs } from "../../subgraphs/load.ts";
import { testConfig } from "./config.ts";

export interface StackOptions {
  readonly database: Databases;
  /** The configuration of the indexing; its chains and primary networks are served. */
  readonly config: Config;
  /** Other settings, such as keys and limits. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** URL of an evm subgraph to use instead of the one in this process. */
  readonly evmSubgraphUrl?: string;
  /** Base URL of a signature service; null while it does not run. Default: it never runs. */
  readonly signatureServiceUrl?: () => string | null;
  /** Serves REST through an Express app that mounts the Router below this path. Requests are sent without it. */
  readonly expressPrefix?: string;
  /** Clock of page tokens and of rate limits. Default: the system's. */
  readonly nowMs?: () => number;
}

/** A server on a real port. */
export interface StackServer extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** GETs a path and parses the body, whatever the status. */
  get(path: string, init?: RequestInit): Promise<Answer>;
}

/** The whole stack in this process: database, subgraphs, gateway, REST. */
export interface Stack extends StackServer {
  /** Starts another server for the same graph, with its own keys, limits and clock of limits. */
  serveAgain(options: Pick<StackOptions, "settings" | "nowMs">): Promise<StackServer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: unknown;
}

/** Starts the stack over an indexed database, which the caller disposes. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const {
    database,
    config,
    settings,
    evmSubgraphUrl,
    signatureServiceUrl = () => null,
    expressPrefix,
    nowMs = Date.now,
  } = options;
  const logger = createLogger("silent");
  const { evmChains, primaryNetworks } = config;
  const served = { ...testConfig(settings), evmChains, primaryNetworks };
  const deps = { config: served, database, logger, nowSeconds: () => Math.floor(nowMs() / 1000) };
  const opened: AsyncDisposable[] = [];
  // `server` is assigned below, before a link to a file is made.
  const own = { serverUrl: () => server.url, serviceUrl: signatureServiceUrl };
  const local = await createSubgraphs({ ...deps, ...own }, (subgraph) => opened.push(subgraph));
  const downloads = createDownloads({ ...deps, pool: database.pool });
  const subgraphs = local.map((subgraph) =>
    evmSubgraphUrl && subgraph.name === "evm" ? { name: "evm", url: evmSubgraphUrl } : subgraph,
  );
  const graph = createGraph({
    supergraph: committedSupergraph(),
    subgraphs,
    logger,
    config: served,
  });
  const serve: Stack["serveAgain"] = async ({ settings: own = settings, nowMs: clock = nowMs }) => {
    const config = { ...testConfig(own), evmChains, primaryNetworks };
    const restOptions = { graph, config, logger, counters: createLocalCounters(), nowMs: clock };
    const rest = createRestServer(restOptions);
    if (expressPrefix !== undefined) rest.handler = mounted(expressPrefix, restOptions);
    const handler: ServerOptions["handler"] = (request, response) => {
      if (downloads.accepts(request)) downloads.handle(request, response);
      else if (request.url?.startsWith(GRAPHQL_PATH)) graph.handle(request, response);
      else rest.handler(request, response);
    };
    const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, ...rest, handler });
    const url = `http://127.0.0.1:${server.port}`;
    return { ...server, url, get: (path, init) => answerTo(url + path, init) };
  };
  const server: StackServer = await serve({});
  return {
    ...server,
    serveAgain: serve,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await graph[Symbol.asyncDispose]();
      for (const subgraph of opened) await subgraph[Symbol.asyncDispose]();
    },
  };
}

/** An Express app with the Router below a prefix, which is prepended to the target of each request. */
function mounted(prefix: string, options: RestOptions): ServerOptions["handler"] {
  const app = express().use(prefix, createRestRouter(options));
  return (request, response) => {
    request.url = prefix + request.url;
    app(request, response);
  };
}

async function answerTo(url: string, init: RequestInit | undefined): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? null : JSON.parse(text) };
}
