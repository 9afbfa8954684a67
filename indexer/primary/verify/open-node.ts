import type { Config, PrimaryNetworkConfig } from "../../../core/config/config-schema.ts";
import { createNodeClient, type NodeClient } from "../../shared/node/node-client.ts";
import { type AskedNode, EVM_PATH } from "./node.ts";

interface OpenedNode extends AskedNode, AsyncDisposable {}

/** Opens a client for each API path of a node when it is used. Aborting the signal ends all calls. */
export function openNode(
  { nodeUrl, nodeHeaders }: Pick<PrimaryNetworkConfig, "nodeUrl" | "nodeHeaders">,
  { requestTimeoutMs, maxConcurrency }: Pick<Config["indexing"], "requestTimeoutMs" | "maxConcurrency">,
  signal: AbortSignal,
): OpenedNode {
  const clients = new Map<string, NodeClient>();
  return {
    ask(path, method, params) {
      const url = `${nodeUrl.replace(/\/$/, "")}${path}`;
      const client =
        clients.get(path) ??
        createNodeClient({ url, headers: nodeHeaders, requestTimeoutMs, maxConcurrency, maxBatchSize: 1, signal });
      clients.set(path, client);
      // avalanchego accepts named parameters as the only element of a list.
      return client.call(method, path === EVM_PATH ? [] : [params]);
    },
    async [Symbol.asyncDispose]() {
      for (const client of clients.values()) await client[Symbol.asyncDispose]();
    },
  };
}
