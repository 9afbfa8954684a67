import { type Database, prepared } from "../../../core/database/database.ts";
import { PRIMARY_CHAIN_ALIASES, PRIMARY_CHAINS, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { chainNodesOf } from "../../shared/schema/chain-node.ts";
import { VERIFICATION_COLUMNS, type VerificationColumns, verificationOf } from "../../shared/schema/verification.ts";
import { chainIdText } from "./chains.ts";
import type { ConfiguredNetwork, Networks } from "./store.ts";
import type { PrimaryChainIndexing } from "./types.ts";

export interface IndexingStore {
  /** Indexing progress of the networks with these IDs. One statement. */
  ofNetworks(keys: readonly NetworkKey[], work: Work): Promise<NetworkIndexing[]>;
}

interface NetworkKey {
  readonly networkId: string;
}

export interface NetworkIndexing extends NetworkKey {
  /** Always the three chains P, X and C. */
  readonly chains: PrimaryChainIndexing[];
}

/** `nodes` is JSON text. */
type Row = Omit<PrimaryChainIndexing, "key" | "chainName" | "blockchainId" | "nodes" | "verification"> &
  VerificationColumns & {
    readonly networkId: string;
    readonly chain: PrimaryChain;
    readonly nodes: string;
  };

/** Progress can exist before the genesis is stored, and the genesis before the first progress. */
const OF_NETWORKS = `SELECT network_id AS "networkId", chain, h.block_number AS "blockNumber",
    h.block_timestamp AS "blockTimestamp", h.tx_count AS "txCount", coalesce(h.raw_seq >= 0, false) AS "isIndexed",
    p.state, p.reason, p.node_block_number AS "nodeBlockNumber", p.fetched_block_number AS "fetchedBlockNumber",
    p.blocks_per_second AS "blocksPerSecond", p.head_seen_at AS "headSeenTimestamp", coalesce(p.nodes, '[]') AS nodes,
    ${VERIFICATION_COLUMNS},
    CASE WHEN chain <> 'X' OR h.raw_seq = h.block_number THEN 0
      ELSE t.estimated_count END AS "estimatedVertexCount"
  FROM (primary_heads h LEFT JOIN primary_verifications v USING (network_id, chain) LEFT JOIN x_chain_vertex_times t USING (network_id))
    FULL JOIN primary_progress p USING (network_id, chain)
  WHERE network_id = ANY ($1::bigint[])`;

export function createIndexingStore({ pool }: Pick<Database, "pool">, networks: Networks): IndexingStore {
  const rowsOf = prepared<Row>(pool, "primary-chain-indexing", OF_NETWORKS);
  return {
    async ofNetworks(keys, work) {
      const networkIds = keys.map(({ networkId }) => networkId);
      const rows = await rowsOf([networkIds], work);
      const served = await networks.all();
      const chainsOf = ({ network: name, networkId }: ConfiguredNetwork): PrimaryChainIndexing[] => {
        const network = served.find((one) => one.networkId === networkId);
        return PRIMARY_CHAINS.map((chain) => {
          const row = rows.find((one) => one.networkId === networkId && one.chain === chain);
          const { networkId: _, chain: __, ...indexing } = row ?? { ...NOT_STARTED, networkId, chain };
          return {
            ...indexing,
            nodes: chainNodesOf(indexing.nodes),
            verification: verificationOf(indexing),
            key: { network: name, networkId, chain },
            blockNumber: indexing.blockNumber ?? "-1",
            txCount: indexing.txCount ?? "0",
            chainName: PRIMARY_CHAIN_ALIASES[chain],
            blockchainId: network ? chainIdText(network, chain) : null,
          };
        });
      };
      return networks.configured
        .filter(({ networkId }) => networkIds.includes(networkId))
        .map((one) => ({ networkId: one.networkId, chains: chainsOf(one) }));
    },
  };
}

const NOT_STARTED = {
  isIndexed: false,
  blockNumber: "-1",
  blockTimestamp: null,
  txCount: "0",
  state: null,
  reason: null,
  nodeBlockNumber: null,
  fetchedBlockNumber: null,
  blocksPerSecond: null,
  headSeenTimestamp: null,
  nodes: "[]",
  estimatedVertexCount: null,
  verifiedBlockNumber: null,
  verifiedAt: null,
  checkedCount: null,
  differingCount: null,
  lastDifference: null,
};
