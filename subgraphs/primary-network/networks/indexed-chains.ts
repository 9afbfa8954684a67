import { type Database, prepared } from "../../../core/database/database.ts";
import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { createSharedReads } from "../../../core/work/shared-reads.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { notIndexed } from "../../shared/not-indexed.ts";
import type { ServedNetwork } from "./served-network.ts";

export interface IndexedChains {
  /**
   * Throws `UNAVAILABLE` with the indexer's reason while no block or vertex of one of these chains is indexed. An indexed
   * genesis is not enough. Once a chain is indexed, it is not checked again.
   */
  require(network: Pick<ServedNetwork, "network" | "networkId">, chains: readonly PrimaryChain[]): Promise<void>;
  /** Reads the state of a network's chains before the first request that needs it. */
  load(network: Pick<ServedNetwork, "networkId">): Promise<void>;
}

interface Row {
  readonly chain: PrimaryChain;
  readonly isIndexed: boolean;
  readonly state: string | null;
  readonly reason: string | null;
}

/** A chain can have a row of progress without a row of its head, and the reverse. */
const OF_NETWORK = `SELECT chain, coalesce(h.raw_seq >= 0, false) AS "isIndexed", p.state, p.reason
  FROM primary_heads h FULL JOIN primary_progress p USING (network_id, chain) WHERE network_id = $1`;

export function createIndexedChains({ pool }: Pick<Database, "pool">): IndexedChains {
  const rowsOf = prepared<Row>(pool, "primary-indexed-chains", OF_NETWORK);
  const indexed = new Set<string>();
  const keyOf = (networkId: string, chain: PrimaryChain): string => `${networkId} ${chain}`;

  /** Concurrent requests share one statement. */
  const read = createSharedReads(async (networkId: string, work): Promise<Row[]> => {
    const rows = await rowsOf([networkId], work);
    for (const { chain, isIndexed } of rows) if (isIndexed) indexed.add(keyOf(networkId, chain));
    return rows;
  });

  return {
    async load({ networkId }) {
      await read(networkId, SERVICE_WORK);
    },
    async require(network, chains) {
      const { networkId } = network;
      if (chains.every((chain) => indexed.has(keyOf(networkId, chain)))) return;
      const rows = await read(networkId, SERVICE_WORK);
      const missing = chains.find((chain) => !indexed.has(keyOf(networkId, chain)));
      if (missing === undefined) return;
      const row = rows.find(({ chain }) => chain === missing);
      const { state = null, reason = null } = row ?? {};
      throw notIndexed(`${PRIMARY_CHAIN_ALIASES[missing]} of network ${network.network}`, { state, reason });
    },
  };
}
