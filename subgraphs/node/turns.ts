import type { Nodes, ServedNode } from "./nodes.ts";

/** Runs tasks, a few at once; the others wait their turn, first come, first served. */
export type Turns = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function createTurns(mostAtOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let free = mostAtOnce;
  return async (task) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((done) => waiting.push(done));
    try {
      return await task();
    } finally {
      // A turn passes on without becoming free.
      const next = waiting.shift();
      if (next) next();
      else free += 1;
    }
  };
}

/** The same nodes, asked in those turns. Their owner disposes them. */
export function inTurns(nodes: Nodes, turns: Turns): Nodes {
  const served = (node: ServedNode): ServedNode => ({ ...node, info: askedInTurns(node.info, turns) });
  return {
    ...nodes,
    own: served(nodes.own),
    find: (name) => served(nodes.find(name)),
    get(name) {
      const node = nodes.get(name);
      return node && served(node);
    },
  };
}

function askedInTurns({ ...info }: ServedNode["info"], turns: Turns): ServedNode["info"] {
  return {
    identity: () => turns(info.identity),
    ip: () => turns(info.ip),
    version: () => turns(info.version),
    networkId: () => turns(info.networkId),
    networkName: () => turns(info.networkName),
    isBootstrapped: (chain) => turns(() => info.isBootstrapped(chain)),
    blockchainId: (alias) => turns(() => info.blockchainId(alias)),
    txFees: () => turns(info.txFees),
    vms: () => turns(info.vms),
    acps: () => turns(info.acps),
    peers: (nodeIds) => turns(() => info.peers(nodeIds)),
    uptime: () => turns(info.uptime),
    upgrades: () => turns(info.upgrades),
  };
}
