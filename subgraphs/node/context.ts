import type { Logger } from "../../core/logger.ts";
import type { Health } from "./health/health.ts";
import type { Nodes } from "./nodes.ts";
import { createLoadPeer } from "./peers/load.ts";
import { createTurns, inTurns } from "./turns.ts";

/** Questions that one request has under way; its others wait, so that a node still answers other requests. */
const MOST_AT_ONCE = 32;

/** What lives as long as the process. */
export interface NodeStores {
  readonly nodes: Nodes;
  readonly health: Health;
  /** Whether what is of the node alone is refused. */
  readonly isPublic: boolean;
  readonly logger: Logger;
}

/** What every resolver gets; made for each request. */
export interface NodeContext extends NodeStores {
  readonly load: { readonly peer: ReturnType<typeof createLoadPeer> };
}

export function createContext(stores: NodeStores): NodeContext {
  const nodes = inTurns(stores.nodes, createTurns(MOST_AT_ONCE));
  return { ...stores, nodes, load: { peer: createLoadPeer(nodes, stores.logger) } };
}
