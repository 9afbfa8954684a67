import { type Database, prepared, runTogether } from "../../../core/database/database.ts";
import type { Work } from "../../../core/work/work.ts";
import { byteaArray } from "../../shared/rows/text-rows.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { Networks } from "../networks/store.ts";

export interface NodeKey {
  /** `0x` hex. */
  readonly nodeId: string;
}

/** A node and its network. */
export interface NodeInNetwork extends NodeKey {
  readonly served: ServedNetwork;
}

export interface ValidatorNodeStore {
  /**
   * A network that each node validates or validated; the first served network if there is none. Empty if no network is indexed. One
   * statement for each network.
   */
  inNetworks(keys: readonly NodeKey[], work: Work): Promise<NodeInNetwork[]>;
}

/** Those of the nodes `$2` that validate or validated network `$1`. */
const NODES_OF_NETWORK = `SELECT k.node_id AS "nodeId" FROM unnest($2::bytea[]) AS k(node_id)
  WHERE EXISTS (SELECT FROM stakers t WHERE t.network_id = $1 AND t.node_id = k.node_id)
    OR EXISTS (SELECT FROM l1_validators t WHERE t.network_id = $1 AND t.node_id = k.node_id)`;

export function createValidatorNodeStore({ pool }: Pick<Database, "pool">, networks: Networks): ValidatorNodeStore {
  const nodesOfNetwork = prepared<{ nodeId: string }>(pool, "nodes-of-network", NODES_OF_NETWORK);
  return {
    async inNetworks(keys, work) {
      const all = await networks.all();
      const [first, ...others] = all;
      if (!first) return [];
      if (others.length === 0) return keys.map(({ nodeId }) => ({ nodeId, served: first }));
      const nodes = byteaArray(keys.map(({ nodeId }) => nodeId));
      const ofNetwork = ({ networkId }: ServedNetwork) => nodesOfNetwork.with([networkId, nodes]);
      const rows = await runTogether(all.map(ofNetwork), work);
      const found = rows.map((ofOne) => new Set(ofOne.map(({ nodeId }) => nodeId)));
      return keys.map(({ nodeId }) => ({ nodeId, served: all.find((_, at) => found[at]?.has(nodeId)) ?? first }));
    },
  };
}
