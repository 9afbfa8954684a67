import type { ConcurrencyLimit } from "../../core/async/concurrency-limit.ts";
import type { Nodes, ServedNode } from "./nodes.ts";

/** Returns the nodes with limited concurrency of their calls. The caller still has to dispose of the original nodes. */
export function withConcurrencyLimit(nodes: Nodes, limit: ConcurrencyLimit): Nodes {
  const served = (node: ServedNode): ServedNode => ({ ...node, info: limitedInfo(node.info, limit) });
  return {
    ...nodes,
    own: served(nodes.own),
    require: (name) => served(nodes.require(name)),
    get(name) {
      const node = nodes.get(name);
      return node && served(node);
    },
  };
}

function limitedInfo({ ...info }: ServedNode["info"], limit: ConcurrencyLimit): ServedNode["info"] {
  return {
    identity: () => limit(info.identity),
    ip: () => limit(info.ip),
    version: () => limit(info.version),
    networkId: () => limit(info.networkId),
    networkName: () => limit(info.networkName),
    isBootstrapped: (chain, work) => limit(() => info.isBootstrapped(chain, work)),
    blockchainId: (alias, work) => limit(() => info.blockchainId(alias, work)),
    txFees: () => limit(info.txFees),
    vms: () => limit(info.vms),
    acps: () => limit(info.acps),
    peers: (nodeIds) => limit(() => info.peers(nodeIds)),
    uptime: () => limit(info.uptime),
    upgrades: (work) => limit(() => info.upgrades(work)),
  };
}
