import { type Database, prepared } from "../../../core/database.ts";
import { ALIASES, chainIdText, type PrimaryChain } from "./chains.ts";
import type { Networks } from "./store.ts";
import type { PrimaryChainIndexing } from "./types.ts";

/** How far the indexer is with the chains of networks. */
export interface IndexingStore {
  /** Of all chains of these networks; those that have no rows yet are left out. One statement. */
  ofNetworks(networkIds: readonly string[]): Promise<NetworkIndexing[]>;
}

export interface NetworkIndexing {
  readonly networkId: string;
  /** P, X, C. */
  readonly chains: PrimaryChainIndexing[];
}

type Row = Omit<PrimaryChainIndexing, "chainName" | "blockchainId"> & { networkId: string; chain: PrimaryChain };

const OF_NETWORKS = `SELECT h.network_id AS "networkId", h.chain, h.block_number AS "blockNumber",
    h.block_timestamp AS "blockTimestamp", h.tx_count AS "txCount", p.state, p.reason,
    p.node_block_number AS "nodeBlockNumber", p.fetched_block_number AS "fetchedBlockNumber",
    p.blocks_per_second AS "blocksPerSecond"
  FROM primary_heads h LEFT JOIN primary_progress p USING (network_id, chain)
  WHERE h.network_id = ANY ($1::bigint[]) ORDER BY position(h.chain IN 'PXC')`;

export function createIndexingStore({ pool }: Pick<Database, "pool">, networks: Networks): IndexingStore {
  const rowsOf = prepared<Row>(pool, "primary-chain-indexing", OF_NETWORKS);
  return {
    async ofNetworks(networkIds) {
      const rows = await rowsOf([networkIds]);
      const served = (await networks.all()).filter(({ networkId }) => networkIds.includes(networkId));
      return served.map((network) => ({
        networkId: network.networkId,
        chains: rows
          .filter(({ networkId }) => networkId === network.networkId)
          .map(({ chain, ...row }) => ({
            ...row,
            chainName: ALIASES[chain],
            blockchainId: chainIdText(network, chain),
          })),
      }));
    },
  };
}
