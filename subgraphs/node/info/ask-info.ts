import { type Answers, createAnswers, type Keeping } from "../answers.ts";
import type { Upstream } from "../upstream.ts";
import type { Info } from "./info.ts";
import { readAnswer, type WireMethod, type WireResult } from "./wire.ts";

const FOREVER = Number.POSITIVE_INFINITY;
const MINUTES = 120_000;
const FAILED = { failedMs: 1_000 };

type Kept = { readonly [Method in WireMethod]: Keeping<WireResult<Method>> };

/** How long each answer is given again: what never changes for good, what changes with a release for minutes, what a restart changes for seconds. */
const KEPT: Kept = {
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

/** Info as a node tells it. The same question of many callers reaches the node once. */
export function createAskedInfo(upstream: Pick<Upstream, "call">, answers: Answers = createAnswers()): Info {
  const ask = <Method extends WireMethod>(method: Method, params: object = {}): Promise<WireResult<Method>> =>
    answers.of(`${method} ${Object.values(params).join(" ")}`, KEPT[method] as Keeping<WireResult<Method>>, async () =>
      readAnswer(method, await upstream.call(method, params)),
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
      // In an order that does not depend on the caller's, so that the same nodes are the same question.
      const peers = await ask("info.peers", { nodeIDs: [...new Set(nodeIds)].sort() });
      if (nodeIds.length === 0) return peers;
      const byId = new Map(peers.map((peer) => [peer.nodeId, peer]));
      return nodeIds.flatMap((nodeId) => byId.get(nodeId) ?? []);
    },
    uptime: () => ask("info.uptime"),
    upgrades: () => ask("info.upgrades"),
  };
}
