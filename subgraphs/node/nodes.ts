import type { Config } from "../../core/config/config-schema.ts";
import type { Network } from "../../core/config/settings/network.ts";
import type { Databases } from "../../core/database/database.ts";
import { Failure } from "../../core/errors/errors.ts";
import { nodeInterfaceNetwork } from "../../core/networks/node-interface-network.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { createQuarantinedNodesOfNetworks, type QuarantinedNodes } from "../shared/nodes/quarantined-nodes.ts";
import type { NetworkName } from "../shared/schema/network-name.ts";
import { createIndexedInfo } from "./info/indexed-info.ts";
import type { Info } from "./info/info.ts";
import { createNodeInfo } from "./info/node-info.ts";
import { createIndexedNetwork } from "./info/store.ts";
import { networkIdOf, nodeTargets } from "./upstream/target.ts";
import type { Upstream, Watch } from "./upstream/upstream.ts";
import { createUpstreamOfNodes } from "./upstream/upstream-of-nodes.ts";

/** A network and the source of its node interface. */
export interface ServedNode {
  readonly network: Network;
  readonly networkId: number;
  readonly info: Info;
  /** Null if no node is configured or `nodeInterface.askNode` is false. */
  readonly upstream: Upstream | null;
}

export interface Nodes extends AsyncDisposable {
  /** The node that `/ext/info` serves. */
  readonly own: ServedNode;
  /** The node of a network; `own` if no name is given. Throws `NOT_FOUND` for a network that is not served. */
  require(name: NetworkName | null | undefined): ServedNode;
  /** Like `require`, but returns null if the network is not served. */
  get(name: NetworkName): ServedNode | null;
}

export interface NodesDeps {
  readonly config: Pick<Config, "nodeInterface" | "primaryNetworks" | "evmChains">;
  readonly database: Databases;
  readonly logger: Logger;
  /** Called with each request to the upstream node of `own`. */
  readonly watch: Watch;
}

/** Opens no connection before the first call. */
export function createNodes(deps: NodesDeps): Nodes {
  const { config } = deps;
  const networks = new Set([nodeInterfaceNetwork(config), ...config.primaryNetworks.map(({ network }) => network)]);
  const quarantined = createQuarantinedNodesOfNetworks(deps.database.primary);
  const served = new Map([...networks].map((network) => [network, createServedNode(network, deps, quarantined)]));
  const get = (name: NetworkName) => served.get(name === "testnet" ? "fuji" : name) ?? null;
  const own = get(nodeInterfaceNetwork(config)) as ServedNode;
  return {
    own,
    get,
    require(name) {
      const found = name ? get(name) : own;
      if (found) return found;
      throw new Failure(
        "NOT_FOUND",
        `network ${name} is not served; served networks: ${[...served.keys()].join(", ")}`,
      );
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...served.values()].map(({ upstream }) => upstream?.[Symbol.asyncDispose]()));
    },
  };
}

function createServedNode(
  network: Network,
  { config, database, logger, watch }: NodesDeps,
  quarantined: QuarantinedNodes<number>,
): ServedNode {
  const networkId = networkIdOf(config, network);
  const targets = nodeTargets(config, network);
  if (targets) {
    const { requestTimeoutMs } = config.nodeInterface;
    const isOwn = network === nodeInterfaceNetwork(config);
    const upstream = createUpstreamOfNodes({
      nodes: targets,
      networkId,
      requestTimeoutMs,
      logger,
      quarantined: () => quarantined(networkId),
      ...(isOwn ? { watch } : {}),
    });
    return { network, networkId, upstream, info: createNodeInfo(upstream) };
  }
  const evmChains = config.evmChains.filter((chain) => chain.network === network);
  const isPrimaryConfigured = config.primaryNetworks.some((entry) => entry.network === network);
  const index = createIndexedNetwork(database, { network, networkId, evmChains, isPrimaryConfigured });
  return { network, networkId, upstream: null, info: createIndexedInfo(networkId, index) };
}
