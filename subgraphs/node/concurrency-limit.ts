import type { Nodes, ServedNode } from "./nodes.ts";

/** Runs tasks with limited concurrency. Waiting tasks start in the order in which they arrived. */
export type ConcurrencyLimit = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function createConcurrencyLimit(maxConcurrent: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let free = maxConcurrent;
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((done) => waiting.push(done));
    try {
      return await task();
    } finally {
      // The slot passes to the next task directly.
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

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
    isBootstrapped: (chain) => limit(() => info.isBootstrapped(chain)),
    blockchainId: (alias) => limit(() => info.blockchainId(alias)),
    txFees: () => limit(info.txFees),
    vms: () => limit(info.vms),
    acps: () => limit(info.acps),
    peers: (nodeIds) => limit(() => info.peers(nodeIds)),
    uptime: () => limit(info.uptime),
    upgrades: () => limit(info.upgrades),
  };
}
