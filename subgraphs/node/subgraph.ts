import type { GraphQLSchema } from "graphql";
import type { Config } from "../../core/config/config-schema.ts";
import type { Databases } from "../../core/database/database.ts";
import type { CompileText } from "../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import { nodeInterfaceNetwork } from "../../core/networks/node-interface-network.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { createContext, type NodeContext } from "./context.ts";
import { probesOf } from "./health/checks/probes.ts";
import type { Probe } from "./health/checks/router.ts";
import { createHealth } from "./health/health.ts";
import { createNodes } from "./nodes.ts";
import { compileText, schema } from "./schema.ts";
import { networkIdOf, nodeTargets } from "./upstream/target.ts";

/**
 * The node subgraph, which runs in the gateway's process or behind its own server. Disposing it ends its subscriptions, its
 * health checks and its connections to nodes.
 */
export interface NodeSubgraph extends AsyncDisposable {
  readonly name: "node";
  readonly schema: GraphQLSchema;
  readonly compileText: CompileText;
  /** Creates the context of one request. */
  context(request: RequestInfo): NodeContext;
  /** Starts the health checks. Call it when the other parts of the service are running. */
  start(): void;
  /** Adds the failed check `shuttingDown` to `Query.health` from now on, and ends the subscriptions to health. */
  announceShutdown(): Promise<void>;
}

export interface NodeSubgraphDeps {
  readonly config: Config;
  readonly database: Databases;
  readonly logger: Logger;
  /** Probes of the other parts of the service, by name. Default: the parts whose URLs are configured. */
  readonly probes?: Readonly<Record<string, Probe>>;
  /** See `HealthDeps`. */
  readonly supergraph?: () => object | null;
}

/** Sends nothing to a node before the first request, or before the health checks start. */
export async function createSubgraph({
  config,
  database,
  logger,
  probes = probesOf(config),
  supergraph,
}: NodeSubgraphDeps): Promise<NodeSubgraph> {
  const network = nodeInterfaceNetwork(config);
  // The health of a node is its own.
  const [target] = nodeTargets(config, network) ?? [];
  const upstream = target ? { ...target, networkId: networkIdOf(config, network) } : null;
  const health = await createHealth({ config, database, logger, upstream, probes, supergraph });
  const nodes = createNodes({ config, database, logger, watch: health.requests.record });
  const stores = { nodes, health, isPublic: config.nodeInterface.public, logger };
  return {
    name: "node",
    schema,
    compileText,
    context: ({ work }) => createContext(stores, work),
    start: () => health.start(),
    announceShutdown: health.announceShutdown,
    async [Symbol.asyncDispose]() {
      await health[Symbol.asyncDispose]();
      await nodes[Symbol.asyncDispose]();
    },
  };
}
