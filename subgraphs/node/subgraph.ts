import type { GraphQLSchema } from "graphql";
import type { Config } from "../../core/config-schema.ts";
import type { Database } from "../../core/database.ts";
import type { RequestInfo } from "../../core/graph-client.ts";
import type { Logger } from "../../core/logger.ts";
import { ownNetwork } from "../../core/own-network.ts";
import { createContext, type NodeContext } from "./context.ts";
import type { Probe } from "./health/checks/router.ts";
import { createHealth } from "./health/health.ts";
import { probesOf } from "./health/probes.ts";
import { createNodes } from "./nodes.ts";
import { schema } from "./schema.ts";
import { networkIdOf, nodeTarget } from "./target.ts";

/**
 * The node subgraph, to run in a gateway's process or behind a server of its own. Disposing it ends its subscriptions, its
 * health checks, and its connections to nodes.
 */
export interface NodeSubgraph extends AsyncDisposable {
  readonly name: "node";
  readonly schema: GraphQLSchema;
  /** What resolvers get; one for each request. */
  context(request: RequestInfo): NodeContext;
  /** Begins to check the health of the installation, once the other parts are there. */
  startChecks(): void;
}

export interface NodeSubgraphDeps {
  readonly config: Config;
  readonly database: Database;
  readonly logger: Logger;
  /** Asks each other part of the service. Default: those whose URLs are configured. */
  readonly probes?: Readonly<Record<string, Probe>>;
}

/** A node is asked with the first question, or once the health checks run. */
export async function createNodeSubgraph({
  config,
  database,
  logger,
  probes = probesOf(config),
}: NodeSubgraphDeps): Promise<NodeSubgraph> {
  const network = ownNetwork(config);
  const target = nodeTarget(config, network);
  const upstream = target && { ...target, networkId: networkIdOf(config, network) };
  const health = await createHealth({ config, database, logger, upstream, probes });
  const nodes = createNodes({ config, database, logger, watch: health.traffic.watch });
  const stores = { nodes, health, isPublic: config.nodeInterface.public, logger };
  return {
    name: "node",
    schema,
    context: () => createContext(stores),
    startChecks: () => health.start(),
    async [Symbol.asyncDispose]() {
      await health[Symbol.asyncDispose]();
      await nodes[Symbol.asyncDispose]();
    },
  };
}
