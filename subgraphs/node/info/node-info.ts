import { type AnswerCache, type CachePolicy, createAnswerCache } from "../upstream/answer-cache.ts";
import type { Upstream } from "../upstream/upstream.ts";
import type { Info } from "./info.ts";
import { type InfoMethod, type InfoResult, readAnswer } from "./node-answers.ts";

const FOREVER = Number.POSITIVE_INFINITY;
const MINUTES = 120_000;
const FAILED = { failedMs: 1_000 };

type Kept = { readonly [Method in InfoMethod]: CachePolicy<InfoResult<Method>> };

/**
 * How long each answer is cached: constants without limit, data that changes with a release for minutes, other data for
 * seconds.
 */
const CACHE_POLICIES: Kept = {
  "info.getNetworkID": { ...FAILED, freshMs: FOREVER },
  "info.getNetworkName": { ...FAILED, freshMs: FOREVER },
  "info.getBlockchainID": { ...FAILED, freshMs: FOREVER, refusedMs: 5_000 },
  "info.getNodeID": { ...FAILED, freshMs: MINUTES },
  "info.getNodeIP": { ...FAILED, freshMs: 5_000 },
  "info.getNodeVersion": { ...FAILED, freshMs: MINUTES },
  "info.getVMs": { ...FAILED, freshMs: MINUTES },
  "info.getTxFee": { ...FAILED, freshMs: MINUTES },
  "info.upgrades": { ...FAILED, freshMs: MINUTES },
  "info.isBootstrapped": { ...FAILED, freshMs: (isBootstrapped) => (isBootstrapped ? 3_000 : 1_000) },
  "info.acps": { ...FAILED, freshMs: 5_000 },
  "info.peers": { ...FAILED, freshMs: 2_000 },
  "info.uptime": { ...FAILED, freshMs: 2_000 },
};

/** Returns the node's answers, which are cached for a time. Concurrent identical calls share one request to the node. */
export function createNodeInfo(upstream: Pick<Upstream, "call">, answers: AnswerCache = createAnswerCache()): Info {
  const ask = <Method extends InfoMethod>(method: Method, params: object = {}): Promise<InfoResult<Method>> =>
    answers.of(
      `${method} ${Object.values(params).join(" ")}`,
      CACHE_POLICIES[method] as CachePolicy<InfoResult<Method>>,
      async () => readAnswer(method, await upstream.call(method, params)),
    );
  return {
    identity: () => ask("info.getNodeID"),
    ip: () => ask("info.getNodeIP"),
    version: () => ask("info.getNodeVersion"),
    networkId: () => ask("info.getNetworkID"),
    networkName: () => ask("info.getNetworkName"),
    isBootstrapped: (chain) => ask("info.isBootstrapped", { chain }),
    blockchainId: (alias) => ask("info.getBlockchainID", { alias }),
    txFees: () => ask("info.getTxFee"),
    vms: () => ask("info.getVMs"),
    acps: () => ask("info.acps"),
    async peers(nodeIds) {
      // Sorted, so that the same set of nodes has the same cache key.
      const peers = await ask("info.peers", { nodeIDs: [...new Set(nodeIds)].sort() });
      if (nodeIds.length === 0) return peers;
      const byId = new Map(peers.map((peer) => [peer.nodeId, peer]));
      return nodeIds.flatMap((nodeId) => byId.get(nodeId) ?? []);
    },
    uptime: () => ask("info.uptime"),
    upgrades: () => ask("info.upgrades"),
  };
}
