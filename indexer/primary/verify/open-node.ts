import type { Config } from "../../../core/config/config-schema.ts";
import type { NodeSettings } from "../../../core/config/settings/nodes.ts";
import { type ConfiguredNode, nodesOf } from "../../../core/networks/nodes.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { createNodeClient, type NodeClient } from "../../shared/node/node-client.ts";
import { type AskedNode, EVM_PATH } from "./node.ts";

interface OpenedNode extends AskedNode, AsyncDisposable {}

/**
 * Opens a client for each API path of a network's nodes when it is used. All calls go to one node, so that its answers have the same state:
 * the first that answers and that is not `excluded`. If it fails later, that call fails, and the next one goes to the next node. Aborting the
 * signal ends all calls.
 */
export function openNode(
  settings: NodeSettings,
  { requestTimeoutMs, maxConcurrency }: Pick<Config["indexing"], "requestTimeoutMs" | "maxConcurrency">,
  signal: AbortSignal,
  isExcluded: (name: string) => boolean = () => false,
): OpenedNode {
  const nodes = nodesOf(settings);
  const clients = new Map<string, NodeClient>();
  /** The node that has answered the last call; null if it has failed. */
  let current: ConfiguredNode | null = null;
  let failed: ConfiguredNode | null = null;

  function clientOf({ name, url, headers }: ConfiguredNode, path: string): NodeClient {
    const key = `${name} ${path}`;
    const options = { headers, requestTimeoutMs, maxConcurrency, maxBatchSize: 1, signal };
    const client = clients.get(key) ?? createNodeClient({ ...options, url: `${url.replace(/\/$/, "")}${path}` });
    clients.set(key, client);
    return client;
  }

  /** The nodes to ask in turn: the current one, or all, the one that has failed last. */
  function candidates(): readonly ConfiguredNode[] {
    if (current && !isExcluded(current.name)) return [current];
    const left = nodes.filter(({ name }) => nodes.length === 1 || !isExcluded(name));
    return left.toSorted((one, other) => Number(one === failed) - Number(other === failed));
  }

  return {
    async ask(path, method, params) {
      let failure: NodeUnavailable | null = null;
      for (const node of candidates())
        try {
          // avalanchego accepts named parameters as the only element of a list.
          const answer = await clientOf(node, path).call(method, path === EVM_PATH ? [] : [params]);
          current ??= node;
          return answer;
        } catch (error) {
          if (!(error instanceof NodeUnavailable)) throw error;
          if (current === node) current = null;
          failed = node;
          failure ??= error;
        }
      throw failure ?? new NodeUnavailable("all nodes of the network are quarantined");
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients.values()) await client[Symbol.asyncDispose]();
    },
  };
}
