import { Failure } from "../../../core/errors/errors.ts";
import { createNodeTurns } from "../../shared/nodes/node-turns.ts";
import type { NodeTarget } from "./target.ts";
import { createUpstream, type Upstream, type UpstreamOptions } from "./upstream.ts";

/** Methods whose answers are about the node itself, or are its own view of other nodes. */
const OF_FIRST_NODE: ReadonlySet<string> = new Set([
  "info.getNodeID",
  "info.getNodeIP",
  "info.getNodeVersion",
  "info.getVMs",
  "info.peers",
  "info.uptime",
]);

export interface UpstreamOfNodesOptions extends Omit<UpstreamOptions, "nodeUrl" | "nodeHeaders"> {
  readonly nodes: readonly [NodeTarget, ...NodeTarget[]];
  /** Names of nodes that are not asked unless the answer is about the first node. Asked only if there are several nodes. */
  readonly quarantined: () => Promise<ReadonlySet<string>>;
}

/**
 * Calls the node, or one of several: the first for what is its own, else the first that answers. If all fail, the first failure counts.
 * Opens no connection before the first call.
 */
export function createUpstreamOfNodes({ nodes, quarantined, ...options }: UpstreamOfNodesOptions): Upstream {
  const turns = createNodeTurns();
  const open = nodes.map((node) => ({
    name: node.name,
    url: node.nodeUrl,
    upstream: createUpstream({
      ...options,
      nodeUrl: node.nodeUrl,
      nodeHeaders: node.nodeHeaders,
      ...(nodes.length > 1 && { name: node.name }),
    }),
  }));
  const [first] = open;
  if (first && open.length === 1) return first.upstream;

  return {
    async call(method, params) {
      const excluded = OF_FIRST_NODE.has(method) ? null : await quarantined();
      let failure: unknown = null;
      for (const node of excluded ? turns.order(open, excluded) : open.slice(0, 1))
        try {
          return await node.upstream.call(method, params);
        } catch (error) {
          if (error instanceof Failure && error.code === "UPSTREAM_FAILED") turns.failed(node);
          failure ??= error;
        }
      throw failure ?? new Failure("UNAVAILABLE", "all nodes of the network are quarantined");
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(open.map(({ upstream }) => upstream[Symbol.asyncDispose]()));
    },
  };
}
