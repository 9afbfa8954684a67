import { createConcurrencyLimit } from "../../core/async/concurrency-limit.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { Work } from "../../core/work/work.ts";
import type { Health } from "./health/health.ts";
import { withConcurrencyLimit } from "./limited-nodes.ts";
import type { Nodes } from "./nodes.ts";
import { createLoadPeer } from "./peers/loader.ts";

/** Maximum number of concurrent calls to nodes for one request. Further calls wait, so that other requests are answered too. */
const MAX_CONCURRENT_CALLS = 32;

/** Stores that all requests share. */
export interface NodeStores {
  readonly nodes: Nodes;
  readonly health: Health;
  /** True if node-specific data is hidden from callers. */
  readonly isPublic: boolean;
  readonly logger: Logger;
}

/** The context of one request, which every resolver gets. */
export interface NodeContext extends NodeStores {
  /** What statements and calls are made for. */
  readonly work: Work;
  readonly load: { readonly peer: ReturnType<typeof createLoadPeer> };
}

export function createContext(stores: NodeStores, work: Work): NodeContext {
  const nodes = withConcurrencyLimit(stores.nodes, createConcurrencyLimit(MAX_CONCURRENT_CALLS));
  return { ...stores, work, nodes, load: { peer: createLoadPeer(nodes, stores, work) } };
}
