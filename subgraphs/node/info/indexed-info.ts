import { Failure } from "../../../core/errors/errors.ts";
import type { Work } from "../../../core/work/work.ts";
import type { Info } from "./info.ts";
import { networkName } from "./network-names.ts";
import type { IndexedNetwork } from "./store.ts";
import { txFees } from "./tx-fees.ts";
import { upgradesOf } from "./upgrades.ts";

const P_CHAIN = "11111111111111111111111111111111LpoYY";

/** Aliases of chains that every node has. */
const CHAIN_NAMES: ReadonlyMap<string, "P" | "X" | "C"> = new Map([
  ...(["P", "platform", P_CHAIN] as const).map((name) => [name, "P"] as const),
  ...(["X", "avm"] as const).map((name) => [name, "X"] as const),
  ...(["C", "evm"] as const).map((name) => [name, "C"] as const),
]);

/** Answers from the index and the settings, without a node. Throws `NODE_REFUSED` for data that only a node has. */
export function createIndexedInfo(networkId: number, index: IndexedNetwork): Info {
  const only = (method: string) => async (): Promise<never> => {
    throw new Failure("NODE_REFUSED", `${method} needs a node: no upstream node is configured`);
  };
  const idOf = async (alias: string, work: Work): Promise<string | null> => {
    const name = CHAIN_NAMES.get(alias);
    if (name === "P") return P_CHAIN;
    return name ? index.blockchainId(name, work) : (await index.isBlockchain(alias, work)) ? alias : null;
  };
  return {
    identity: only("info.getNodeID"),
    ip: only("info.getNodeIP"),
    version: only("info.getNodeVersion"),
    vms: only("info.getVMs"),
    peers: only("info.peers"),
    uptime: only("info.uptime"),
    networkId: async () => networkId,
    networkName: async () => networkName(networkId),
    async isBootstrapped(chain, work) {
      if (chain === "") throw new Failure("NODE_REFUSED", "argument 'chain' not given");
      // The ids of the X- and C-Chain are known only from the genesis.
      if (CHAIN_NAMES.has(chain) && !(await index.isGenesisIndexed(work))) return false;
      const blockchainId = await idOf(chain, work);
      const isDone = blockchainId === null ? null : await index.hasReachedHead(blockchainId, work);
      if (isDone === null) throw new Failure("NODE_REFUSED", `there is no chain with alias/ID '${chain}'`);
      return isDone;
    },
    async blockchainId(alias, work) {
      const blockchainId = await idOf(alias, work);
      if (blockchainId === null) throw new Failure("NODE_REFUSED", `there is no ID with alias: ${alias}`);
      return blockchainId;
    },
    txFees: async () => txFees(networkId),
    acps: async () => [],
    upgrades: async (work) => upgradesOf(networkId, await index.upgradeTimes(work)),
  };
}
