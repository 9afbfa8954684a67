import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { readRowsByPartition } from "../../../core/database/by-partition.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import { chainNodesOf } from "../../shared/schema/chain-node.ts";
import {
  VERIFICATION_COLUMNS,
  type Verification,
  type VerificationColumns,
  verificationOf,
} from "../../shared/schema/verification.ts";
import type { Chain, ChainIndexing, ChainsArgs } from "./types.ts";

const MAX_INT = 2 ** 31 - 1;

export interface ChainKey {
  readonly chainId: string;
}

export interface ChainStore {
  /** Lists the configured chains that match the filter: those of Mainnet, then those of Fuji, each by ascending chain id. */
  list(filter: ChainsArgs, work: Work): Promise<Chain[]>;
  /** Finds a chain by EVM chain id or blockchain id. Throws `NOT_FOUND`. */
  require(chainId: string, work: Work): Promise<Chain>;
  /** Reads the chains with these ids; chains that are not configured are left out. */
  byId(keys: readonly ChainKey[], work: Work): Promise<Chain[]>;
  /**
   * Counts the ERC-20 tokens of each chain whose metadata has not been read yet. Chains without such tokens are left out. One statement for
   * each chain.
   */
  pendingTokens(keys: readonly ChainKey[], work: Work): Promise<{ chainId: string; count: number }[]>;
}

/** The progress of the chains of a condition. */
const progressOf = (
  where: string,
): string => `SELECT p.chain_id AS "chainId", p.state, p.reason, p.node_block_number AS "nodeBlockNumber",
    p.fetched_block_number AS "fetchedBlockNumber", nullif(h.block_number, -1) AS "blockNumber",
    p.blocks_per_second AS "blocksPerSecond", coalesce(p.nodes, '[]') AS nodes, p.updated_at AS "updatedAt",
    ${VERIFICATION_COLUMNS}, l.network, l.blockchain_id AS "blockchainId", l.subnet_id AS "subnetId", l.vm_id AS "vmId"
  FROM chain_progress p LEFT JOIN chain_heads h USING (chain_id) LEFT JOIN chain_places l USING (chain_id)
    LEFT JOIN chain_verifications v USING (chain_id)
  WHERE p.chain_id ${where}`;

const PENDING_TOKENS = `SELECT $1::bigint AS "chainId", count(*)::int AS count FROM erc20_tokens
  WHERE chain_id = $1 AND metadata_status IN ('PENDING', 'UNAVAILABLE') HAVING count(*) > 0`;

/**
 * Where the P-Chain's index has the chain. Ids are `0x` hex. All are null while it does not have it. Only the ids are null if it refutes
 * the settings.
 */
interface Place {
  readonly network: EvmChainConfig["network"] | null;
  readonly blockchainId: string | null;
  readonly subnetId: string | null;
  readonly vmId: string | null;
}

/** `nodes` is JSON text. */
type IndexingRow = Omit<ChainIndexing, "secondsLeft" | "nodes"> & { readonly nodes: string };

type Row = IndexingRow & Place & VerificationColumns;

/** Chains come from the configuration; one statement adds the progress of their indexers, and what the P-Chain's index has of them. */
export function createChainStore({ pool }: Pick<Database, "pool">, configured: Chains): ChainStore {
  const ofOne = prepared<Row>(pool, "chain-progress-of-one", progressOf("= $1"));
  const ofSome = prepared<Row>(pool, "chain-progress", progressOf("= ANY ($1::bigint[])"));
  const pendingTokens = prepared<{ chainId: string; count: number }>(pool, "pending-tokens", PENDING_TOKENS);
  const withProgress = async (configs: readonly EvmChainConfig[], work: Work): Promise<Chain[]> => {
    const ids = configs.map(({ chainId }) => chainId);
    const rows = ids.length === 1 ? await ofOne(ids, work) : await ofSome([ids], work);
    const byId = new Map(rows.map((row) => [row.chainId, row]));
    return configs.map((config) => {
      const row = byId.get(String(config.chainId));
      if (!row) return chainOf({ ...config, areIdsVerified: false }, null, null);
      return chainOf(placed(config, row), indexingOf(row), verificationOf(row));
    });
  };
  return {
    list: async (filter, work) =>
      (await withProgress(configured.all, work)).filter((chain) => matches(chain, filter)).sort(byNetworkAndId),
    require: async (chainId, work) => (await withProgress([configured.require(chainId)], work))[0] as Chain,
    byId: (keys, work) =>
      withProgress(
        keys.flatMap(({ chainId }) => configured.get(chainId) ?? []),
        work,
      ),
    pendingTokens: readRowsByPartition(pendingTokens, {
      partitionOf: ({ chainId }: ChainKey) => chainId,
      valuesOf: () => [],
    }),
  };
}

type PlacedConfig = EvmChainConfig & Pick<Chain, "areIdsVerified">;

/** The settings of a chain with what the P-Chain's index has of it. The indexer refuses settings that contradict the index. */
function placed(config: EvmChainConfig, { network, blockchainId, subnetId, vmId }: Place): PlacedConfig {
  if (network === null) return { ...config, areIdsVerified: false };
  const { blockchainId: named, subnetId: _, vmId: __, ...others } = config;
  if (blockchainId === null || subnetId === null || vmId === null) return { ...others, areIdsVerified: false };
  const idOf = (hex: string) => formatId(hex.slice(2));
  // The place of another blockchain, which the settings named before.
  if (named !== undefined && named !== idOf(blockchainId)) return { ...config, areIdsVerified: false };
  const ids = { blockchainId: idOf(blockchainId), subnetId: idOf(subnetId), vmId: idOf(vmId) };
  return { ...others, network, ...ids, areIdsVerified: true };
}

function indexingOf(row: IndexingRow): ChainIndexing {
  const { chainId, state, reason, nodeBlockNumber, fetchedBlockNumber, blockNumber, blocksPerSecond, updatedAt } = row;
  return {
    chainId,
    state,
    reason,
    nodeBlockNumber,
    fetchedBlockNumber,
    blockNumber,
    blocksPerSecond,
    updatedAt,
    nodes: chainNodesOf(row.nodes),
    secondsLeft: secondsLeft(row),
  };
}

function matches({ isTestnet, enabledFeatures }: Chain, { network, feature }: ChainsArgs): boolean {
  return (!network || isTestnet === (network !== "mainnet")) && (!feature || enabledFeatures.includes(feature));
}

function byNetworkAndId(a: Chain, b: Chain): number {
  return a.isTestnet === b.isTestnet ? Number(a.chainId) - Number(b.chainId) : a.isTestnet ? 1 : -1;
}

function secondsLeft(row: Pick<ChainIndexing, "nodeBlockNumber" | "blockNumber" | "blocksPerSecond">): number | null {
  if (row.nodeBlockNumber === null) return null;
  const blocksLeft = Number(row.nodeBlockNumber) - Number(row.blockNumber ?? -1);
  if (blocksLeft <= 0) return 0;
  return row.blocksPerSecond > 0 ? Math.min(Math.ceil(blocksLeft / row.blocksPerSecond), MAX_INT) : null;
}

/** Makes a chain of the graph from its configuration, without the URLs and headers of nodes and databases, which only the operator may see. */
function chainOf(config: PlacedConfig, indexing: ChainIndexing | null, verification: Verification | null): Chain {
  const {
    chainId,
    network,
    blockchainId,
    multicall,
    nodeUrl: _,
    nodeHeaders: __,
    nodeUrls: ___,
    databaseUrl: ____,
    tokenLogos: _____,
    ...published
  } = config;
  return {
    ...published,
    chainId: String(chainId),
    status: indexing?.state === "STOPPED" || indexing?.state === "WAITING" ? "UNAVAILABLE" : "OK",
    platformChainId: blockchainId ?? null,
    vmName: "EVM",
    isTestnet: network === "fuji",
    utilityAddresses: multicall ? { chainId: String(chainId), multicall: multicall.toLowerCase() } : null,
    indexing,
    verification,
  };
}
