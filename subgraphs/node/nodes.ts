import type { Config } from "../../core/config-schema.ts";
import type { Database } from "../../core/database.ts";
import { Failure } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import { ownNetwork } from "../../core/own-network.ts";
import type { Network } from "../../core/settings/network.ts";
import type { NetworkName } from "../shared/network-name.ts";
import { createAskedInfo } from "./info/ask-info.ts";
import { createIndexedInfo } from "./info/index-info.ts";
import type { Info } from "./info/info.ts";
import { createIndexedNetwork } from "./info/store.ts";
import { networkIdOf, nodeTarget } from "./target.ts";
import { createUpstream, type Upstream, type Watch } from "./upstream.ts";

/** What answers for the node of one network. */
export interface ServedNode {
  readonly network: Network;
  readonly networkId: number;
  readonly info: Info;
  /** Null where no node is asked. */
  readonly upstream: Upstream | null;
}

export interface Nodes extends AsyncDisposable {
  /** The node whose interface is served. */
  readonly own: ServedNode;
  /** That of a network; the own where none is named. Throws `NOT_FOUND` for a network that is not served. */
  find(name: NetworkName | null | undefined): ServedNode;
  /** As `find`, but null where it would throw. */
  get(name: NetworkName): ServedNode | null;
}

export interface NodesDeps {
  readonly config: Pick<Config, "nodeInterface" | "primaryNetworks" | "evmChains">;
  readonly database: Database;
  readonly logger: Logger;
  /** Is told of each request to the own node. */
  readonly watch: Watch;
}

/** Opens nothing before the first question. */
export function createNodes(deps: NodesDeps): Nodes {
  const { config } = deps;
  const networks = new Set([ownNetwork(config), ...config.primaryNetworks.map(({ network }) => network)]);
  const served = new Map([...networks].map((network) => [network, createServedNode(network, deps)]));
  const get = (name: NetworkName) => served.get(name === "testnet" ? "fuji" : name) ?? null;
  const own = get(ownNetwork(config)) as ServedNode;
  return {
    own,
    get,
    find(name) {
      const found = name ? get(name) : own;
      if (found) return found;
      throw new Failure("NOT_FOUND", `network ${name} is not served here, served: ${[...served.keys()].join(", ")}`);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...served.values()].map(({ upstream }) => upstream?.[Symbol.asyncDispose]()));
    },
  };
}

function createServedNode(network: Network, deps: NodesDeps): ServedNode {
  const { config, database, logger, watch } = deps;
  const networkId = networkIdOf(config, network);
  const target = nodeTarget(config, network);
  if (target) {
    const { requestTimeoutMs } = config.nodeInterface;
    const isOwn = network === ownNetwork(config);
    const upstream = createUpstream({ ...target, networkId, requestTimeoutMs, logger, ...(isOwn ? { watch } : {}) });
    return { network, networkId, upstream, info: createAskedInfo(upstream) };
  }
  const evmChains = config.evmChains.filter((chain) => chain.network === network);
  const isIndexed = config.primaryNetworks.some((entry) => entry.network === network);
  const index = createIndexedNetwork(database, { network, networkId, evmChains, isIndexed });
  return { network, networkId, upstream: null, info: createIndexedInfo(networkId, index) };
}
