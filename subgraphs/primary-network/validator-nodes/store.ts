import { type Database, prepared } from "../../../core/database.ts";
import { bytea } from "../../shared/rows.ts";
import type { Networks, ServedNetwork } from "../networks/store.ts";

export interface NodeKey {
  /** `0x` hex. */
  readonly nodeId: string;
}

export interface PlacedNode extends NodeKey {
  readonly served: ServedNetwork;
}

export interface ValidatorNodeStore {
  /** Of each node the network that it validates, else the first that is served; none where none is. At most one statement. */
  placed(keys: readonly NodeKey[]): Promise<PlacedNode[]>;
}

const PLACES = `SELECT k.ask, n.network_id FROM unnest($1::bytea[]) WITH ORDINALITY AS k(node_id, ask),
    unnest($2::bigint[]) AS n(network_id)
  WHERE EXISTS (SELECT FROM stakers t WHERE t.network_id = n.network_id AND t.node_id = k.node_id)
    OR EXISTS (SELECT FROM l1_validators t WHERE t.network_id = n.network_id AND t.node_id = k.node_id)`;

export function createValidatorNodeStore({ pool }: Pick<Database, "pool">, networks: Networks): ValidatorNodeStore {
  const places = prepared<{ ask: string; network_id: string }>(pool, "networks-of-nodes", PLACES);
  return {
    async placed(keys) {
      const all = await networks.all();
      const [first, ...others] = all;
      if (!first) return [];
      const rows =
        others.length === 0
          ? []
          : await places([keys.map(({ nodeId }) => bytea(nodeId)), all.map(({ networkId }) => networkId)]);
      return keys.map(({ nodeId }, index) => {
        const place = rows.find(({ ask }) => Number(ask) === index + 1)?.network_id;
        return { nodeId, served: all.find(({ networkId }) => networkId === place) ?? first };
      });
    },
  };
}
