import type { ExecutionResult } from "graphql";
import type { Config } from "../../core/config/config-schema.ts";
import type { Databases } from "../../core/database/database.ts";
import { type RunningServer, type ServerOptions, startServer } from "../../core/http/server.ts";
import { createLogger, type Logger } from "../../core/observability/logger.ts";
import { createGatewayServer } from "../../gateway/gateway-server.ts";
import { createGraph, type Graph, type GraphOptions } from "../../gateway/graph.ts";
import type { Subgraph } from "../../gateway/plan/subgraph.ts";
import { committedSupergraph } from "../../gateway/supergraph.ts";
import { createSubgraph as createEvmSubgraph, type EvmSubgraph } from "../../subgraphs/evm/subgraph.ts";
import { createSubgraphs, type RunningSubgraph } from "../../subgraphs/load.ts";
import { createSubgraph as createMetricsSubgraph } from "../../subgraphs/metrics/subgraph.ts";
import { createSubgraph as createNodeSubgraph, type NodeSubgraph } from "../../subgraphs/node/subgraph.ts";
import {
  createSubgraph as createOperationsSubgraph,
  type OperationsSubgraph,
} from "../../subgraphs/operations/subgraph.ts";
import {
  createSubgraph as createPrimaryNetworkSubgraph,
  type PrimaryNetworkSubgraph,
} from "../../subgraphs/primary-network/subgraph.ts";
import { createSubgraphServer, type ServedSubgraph } from "../../subgraphs/shared/server/server.ts";
import { createSubgraph as createSignaturesSubgraph } from "../../subgraphs/signatures/subgraph.ts";
import { testConfig } from "../support/config.ts";

/** A server of GraphQL over HTTP and graphql-ws. */
export interface Served extends AsyncDisposable {
  readonly url: string;
}

export interface Indexed {
  readonly database: Databases;
  readonly config: Config;
}

/** Starts the evm subgraph on its own server, like `moraine start --only evm`. */
export async function serveSubgraph(
  { database, config }: Indexed,
  logger = quiet(),
): Promise<Served & { evm: EvmSubgraph }> {
  const evm = await createEvmSubgraph({ config, database, logger });
  return { evm, ...(await serve(evm, logger, evm)) };
}

/** Starts the primary-network subgraph on its own server, like `moraine start --only primary-network`. */
export async function servePrimarySubgraph(
  { database, config }: Indexed,
  logger = quiet(),
): Promise<Served & { primary: PrimaryNetworkSubgraph }> {
  const primary = await createPrimaryNetworkSubgraph({ config, database, logger });
  return { primary, ...(await serve(primary, logger)) };
}

/** Starts the node subgraph on its own server, like `moraine start --only node`, but without periodic health checks. */
export async function serveNodeSubgraph(
  { database, config }: Indexed,
  logger = quiet(),
): Promise<Served & { node: NodeSubgraph }> {
  const node = await createNodeSubgraph({ config, database, logger });
  return { node, ...(await serve(node, logger, node)) };
}

/** Starts the operations subgraph on its own server, like `moraine start --only operations`. */
export async function serveOperationsSubgraph(
  { database, config }: Indexed,
  logger = quiet(),
): Promise<Served & { operations: OperationsSubgraph }> {
  const operations = await createOperationsSubgraph({ config, database, logger });
  return { operations, ...(await serve(operations, logger, operations)) };
}

/** Starts the metrics subgraph on its own server, like `moraine start --only metrics`. */
export async function serveMetricsSubgraph(indexed: Indexed, logger = quiet()): Promise<Served> {
  const metrics = await createMetricsSubgraph({ ...indexed, logger });
  return serve(metrics, logger, metrics);
}

/** Starts the signatures subgraph on its own server, like `moraine start --only signatures-subgraph`. */
export async function serveSignaturesSubgraph(serviceUrl: () => string | null, logger = quiet()): Promise<Served> {
  const signatures = createSignaturesSubgraph({ serviceUrl });
  return serve(signatures, logger, signatures);
}

/** Starts the gateway over subgraphs in this process. `serviceUrl` is that of a signature service. */
export async function serveGraph(
  indexed: Indexed,
  logger = quiet(),
  serviceUrl: () => string | null = () => null,
): Promise<Served & { graph: Graph; subgraphs: readonly RunningSubgraph[] }> {
  const owned: AsyncDisposable[] = [];
  const subgraphs = await createSubgraphs({ ...indexed, logger, serviceUrl }, (subgraph) => owned.push(subgraph));
  const { graph, url, ...served } = await serveGateway(subgraphs, logger, committedSupergraph(), indexed.config);
  return { graph, url, subgraphs, [Symbol.asyncDispose]: () => disposeAll(...owned, served) };
}

/** Starts the gateway over any subgraphs, which the caller disposes. */
export async function serveGateway(
  subgraphs: readonly Subgraph[],
  logger: Logger = quiet(),
  supergraph = committedSupergraph(),
  config = testConfig(),
  options: Pick<GraphOptions, "admission" | "apiKeys" | "counters" | "internalToken" | "nowMs"> = {},
): Promise<Served & { graph: Graph }> {
  const graph = createGraph({ supergraph, subgraphs, logger, config, ...options });
  const server = await listen(createGatewayServer({ graph, status: () => null }));
  return { graph, url: urlOf(server), [Symbol.asyncDispose]: () => disposeAll(graph, server) };
}

/** Starts a subgraph on its own server. Disposing it also disposes `owned`. */
export async function serve(
  subgraph: ServedSubgraph,
  logger: Logger,
  ...owned: readonly AsyncDisposable[]
): Promise<Served> {
  const served = await createSubgraphServer(subgraph, logger);
  const server = await listen({ handler: served.handler, upgrade: served.upgrade });
  return { url: urlOf(server), [Symbol.asyncDispose]: () => disposeAll(served, server, ...owned) };
}

/** Starts a server on a free port. When it stops, it does not wait for idle connections. */
function listen(
  served: Pick<ServerOptions, "handler" | "upgrade" | "acceptsUpgrade" | "onDrain">,
): Promise<RunningServer> {
  return startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, ...served });
}

const urlOf = (server: RunningServer): string => `http://127.0.0.1:${server.port}/graphql`;

const quiet = (): Logger => createLogger("fatal");

async function disposeAll(...resources: readonly AsyncDisposable[]): Promise<void> {
  for (const resource of resources) await resource[Symbol.asyncDispose]();
}

/** Sends a query by POST. Returns what it is answered. */
export async function ask(
  url: string,
  query: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<ExecutionResult> {
  const all = { "content-type": "application/json", ...headers };
  const init = { method: "POST", headers: all, body: JSON.stringify({ query }) };
  return (await (await fetch(url, init)).json()) as ExecutionResult;
}
