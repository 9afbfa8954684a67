import { type Database, prepared } from "../../../core/database.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
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
  /** A network that each node validates or validated; the first served network if there is none. Empty if no network is indexed. */
  inNetworks(keys: readonly NodeKey[]): Promise<NodeInNetwork[]>;
}

const NETWORKS_OF_NODES = `SELECT k.ask, n.network_id FROM unnest($1::bytea[]) WITH ORDINALITY AS k(node_id, ask),
    unnest($2::bigint[]) AS n(network_id)
  WHERE EXISTS (SELECT FROM stakers t WHERE t.network_id = n.network_id AND t.node_id = k.node_id)
    OR EXISTS (SELECT FROM l1_validators t WHERE t.network_id = n.network_id AND t.node_id = k.node_id)`;

export function createValidatorNodeStore({ pool }: Pick<Database, "pool">, networks: Networks): ValidatorNodeStore {
  const networksOfNodes = prepared<{ ask: string; network_id: string }>(pool, "networks-of-nodes", NETWORKS_OF_NODES);
  return {
    async inNetworks(keys) {
      const all = await networks.all();
      const [first, ...others] = all;
      if (!first) return [];
      const rows =
        others.length === 0
          ? []
          : await networksOfNodes([keys.map(({ nodeId }) => bytea(nodeId)), all.map(({ networkId }) => networkId)]);
      return keys.map(({ nodeId }, index) => {
        const networkId = rows.find(({ ask }) => Number(ask) === index + 1)?.network_id;
        return { nodeId, served: all.find((one) => one.networkId === networkId) ?? first };
      });
    },
  };
}
