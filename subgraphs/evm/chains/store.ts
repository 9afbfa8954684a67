import type { Chains } from "../../../core/chains.ts";
import type { EvmChainConfig } from "../../../core/config-schema.ts";
import { type Database, prepared } from "../../../core/database.ts";
import type { Chain, ChainIndexing, ChainsArgs } from "./types.ts";

export interface ChainStore {
  /** The configured chains that match, main network first, then by ascending chain id. */
  list(filter: ChainsArgs): Promise<Chain[]>;
  /** The chain that a caller's `chainId` names. Throws `NOT_FOUND`. */
  find(chainId: string): Promise<Chain>;
  /** Those of the named chains that are configured. */
  named(chainIds: readonly string[]): Promise<Chain[]>;
  /** How many tokens of each chain wait to be asked for their metadata. */
  pendingTokens(chainIds: readonly string[]): Promise<{ chainId: string; count: number }[]>;
}

const PROGRESS = `SELECT p.chain_id AS "chainId", p.state, p.reason, p.node_block_number AS "nodeBlockNumber",
    p.fetched_block_number AS "fetchedBlockNumber", nullif(h.block_number, -1) AS "blockNumber",
    p.blocks_per_second AS "blocksPerSecond", p.updated_at AS "updatedAt"
  FROM chain_progress p LEFT JOIN chain_heads h USING (chain_id) WHERE p.chain_id = ANY ($1::bigint[])`;

const PENDING = `SELECT chain_id AS "chainId", count(*)::int AS count FROM erc20_tokens
  WHERE chain_id = ANY ($1::bigint[]) AND metadata_status = 'PENDING' GROUP BY chain_id`;

/** Chains come from the configuration; one statement says how far the indexer is with them. */
export function createChainStore({ pool }: Pick<Database, "pool">, chains: Chains): ChainStore {
  const progressOf = prepared<Omit<ChainIndexing, "secondsLeft">>(pool, "chain-progress", PROGRESS);
  const pending = prepared<{ chainId: string; count: number }>(pool, "chain-pending-tokens", PENDING);
  const served = async (configs: readonly EvmChainConfig[]): Promise<Chain[]> => {
    const rows = await progressOf([configs.map((config) => config.chainId)]);
    const byChain = new Map(rows.map((row) => [row.chainId, { ...row, secondsLeft: secondsLeft(row) }]));
    return configs.map((config) => chainOf(config, byChain.get(String(config.chainId)) ?? null));
  };
  return {
    list: (filter) => served(chains.all.filter((config) => isWanted(config, filter)).sort(inOrder)),
    find: async (chainId) => (await served([chains.find(chainId)]))[0] as Chain,
    named: (chainIds) => served(chainIds.flatMap((chainId) => chains.get(chainId) ?? [])),
    pendingTokens: (chainIds) => pending([chainIds]),
  };
}

function isWanted(config: EvmChainConfig, { network, feature }: ChainsArgs): boolean {
  const wanted = network === "testnet" ? "fuji" : network;
  return (!wanted || config.network === wanted) && (!feature || config.enabledFeatures.includes(feature));
}

function inOrder(a: EvmChainConfig, b: EvmChainConfig): number {
  return a.network === b.network ? a.chainId - b.chainId : a.network === "mainnet" ? -1 : 1;
}

function secondsLeft(row: Omit<ChainIndexing, "secondsLeft">): number | null {
  if (row.nodeBlockNumber === null) return null;
  const blocksLeft = Number(row.nodeBlockNumber) - Number(row.blockNumber ?? -1);
  if (blocksLeft <= 0) return 0;
  return row.blocksPerSecond > 0 ? Math.min(Math.ceil(blocksLeft / row.blocksPerSecond), 2 ** 31 - 1) : null;
}

function chainOf(config: EvmChainConfig, indexing: ChainIndexing | null): Chain {
  const { chainId, network, blockchainId, multicall, nodeUrl: _, nodeHeaders: __, tokenLogos: ___, ...shown } = config;
  return {
    ...shown,
    chainId: String(chainId),
    status: indexing?.state === "STOPPED" || indexing?.state === "WAITING" ? "UNAVAILABLE" : "OK",
    platformChainId: blockchainId ?? null,
    vmName: "EVM",
    isTestnet: network === "fuji",
    utilityAddresses: multicall ? { multicall: multicall.toLowerCase() } : null,
    indexing,
  };
}
