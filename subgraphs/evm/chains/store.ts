import { readRowsByPartition } from "../../../core/by-partition.ts";
import type { Chains } from "../../../core/chains.ts";
import type { EvmChainConfig } from "../../../core/config-schema.ts";
import { type Database, prepared } from "../../../core/database.ts";
import type { Chain, ChainIndexing, ChainsArgs } from "./types.ts";

const MAX_INT = 2 ** 31 - 1;

export interface ChainKey {
  readonly chainId: string;
}

export interface ChainStore {
  /** Lists the configured chains that match the filter: those of Mainnet, then those of Fuji, each by ascending chain id. */
  list(filter: ChainsArgs): Promise<Chain[]>;
  /** Finds a chain by EVM chain id or blockchain id. Throws `NOT_FOUND`. */
  require(chainId: string): Promise<Chain>;
  /** Reads the chains with these ids; chains that are not configured are left out. */
  byId(keys: readonly ChainKey[]): Promise<Chain[]>;
  /** Counts the ERC-20 tokens of each chain whose metadata has not been read yet. Chains without such tokens are left out. One statement for each chain. */
  pendingTokens(keys: readonly ChainKey[]): Promise<{ chainId: string; count: number }[]>;
}

const PROGRESS = `SELECT p.chain_id AS "chainId", p.state, p.reason, p.node_block_number AS "nodeBlockNumber",
    p.fetched_block_number AS "fetchedBlockNumber", nullif(h.block_number, -1) AS "blockNumber",
    p.blocks_per_second AS "blocksPerSecond", p.updated_at AS "updatedAt"
  FROM chain_progress p LEFT JOIN chain_heads h USING (chain_id) WHERE p.chain_id = ANY ($1::bigint[])`;

const PENDING_TOKENS = `SELECT $1::bigint AS "chainId", count(*)::int AS count FROM erc20_tokens
  WHERE chain_id = $1 AND metadata_status IN ('PENDING', 'UNAVAILABLE') HAVING count(*) > 0`;

/** Chains come from the configuration; one statement adds the progress of their indexers. */
export function createChainStore({ pool }: Pick<Database, "pool">, configured: Chains): ChainStore {
  const progressOf = prepared<Omit<ChainIndexing, "secondsLeft">>(pool, "chain-progress", PROGRESS);
  const pendingTokens = prepared<{ chainId: string; count: number }>(pool, "pending-tokens", PENDING_TOKENS);
  const withProgress = async (configs: readonly EvmChainConfig[]): Promise<Chain[]> => {
    const rows = await progressOf([configs.map(({ chainId }) => chainId)]);
    const byId = new Map(rows.map((row) => [row.chainId, { ...row, secondsLeft: secondsLeft(row) }]));
    return configs.map((config) => chainOf(config, byId.get(String(config.chainId)) ?? null));
  };
  return {
    list: (filter) => withProgress(configured.all.filter((config) => matches(config, filter)).sort(byNetworkAndId)),
    require: async (chainId) => (await withProgress([configured.require(chainId)]))[0] as Chain,
    byId: (keys) => withProgress(keys.flatMap(({ chainId }) => configured.get(chainId) ?? [])),
    pendingTokens: readRowsByPartition(pendingTokens, {
      partitionOf: ({ chainId }: ChainKey) => chainId,
      valuesOf: () => [],
    }),
  };
}

function matches(config: EvmChainConfig, { network, feature }: ChainsArgs): boolean {
  const name = network === "testnet" ? "fuji" : network;
  return (!name || config.network === name) && (!feature || config.enabledFeatures.includes(feature));
}

function byNetworkAndId(a: EvmChainConfig, b: EvmChainConfig): number {
  return a.network === b.network ? a.chainId - b.chainId : a.network === "mainnet" ? -1 : 1;
}

function secondsLeft(row: Omit<ChainIndexing, "secondsLeft">): number | null {
  if (row.nodeBlockNumber === null) return null;
  const blocksLeft = Number(row.nodeBlockNumber) - Number(row.blockNumber ?? -1);
  if (blocksLeft <= 0) return 0;
  return row.blocksPerSecond > 0 ? Math.min(Math.ceil(blocksLeft / row.blocksPerSecond), MAX_INT) : null;
}

/** Makes a chain of the graph from its configuration, without the node's URL and headers, which only the operator may see. */
function chainOf(config: EvmChainConfig, indexing: ChainIndexing | null): Chain {
  const {
    chainId,
    network,
    blockchainId,
    multicall,
    nodeUrl: _,
    nodeHeaders: __,
    tokenLogos: ___,
    ...published
  } = config;
  return {
    ...published,
    chainId: String(chainId),
    status: indexing?.state === "STOPPED" || indexing?.state === "WAITING" ? "UNAVAILABLE" : "OK",
    platformChainId: blockchainId ?? null,
    vmName: "EVM",
    isTestnet: network === "fuji",
    utilityAddresses: multicall ? { multicall: multicall.toLowerCase() } : null,
    indexing,
  };
}
