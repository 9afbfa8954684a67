import type { Config } from "../../../core/config/config-schema.ts";
import type { Network } from "../../../core/config/settings/network.ts";
import { type Database, prepared } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import { createSharedReads } from "../../../core/work/shared-reads.ts";
import { SERVICE_WORK } from "../../../core/work/work.ts";
import { notIndexed } from "../../shared/not-indexed.ts";
import { columns } from "../../shared/rows/text-rows.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { findChain } from "./chains.ts";
import { createIndexedChains } from "./indexed-chains.ts";
import type { ServedNetwork } from "./served-network.ts";

/** A network of the configuration. */
export interface ConfiguredNetwork {
  readonly network: Network;
  /** Decimal text. */
  readonly networkId: string;
}

/** A chain of a served network. */
export interface ServedChain {
  readonly network: ServedNetwork;
  readonly chain: PrimaryChain;
}

export interface Networks {
  readonly configured: readonly ConfiguredNetwork[];
  /**
   * The configured network of that name. Throws `NOT_FOUND` if it is not configured. Throws `UNAVAILABLE` if its genesis is not
   * indexed yet, or if one of `chains` has no indexed block or vertex yet.
   */
  require(name: NetworkName, ...chains: readonly PrimaryChain[]): Promise<ServedNetwork>;
  /** Like `require`, but returns null if the network is not configured. */
  get(name: NetworkName, ...chains: readonly PrimaryChain[]): Promise<ServedNetwork | null>;
  /** The chain that `blockchainId` names. Throws like `require`, and throws `NOT_FOUND` if the network has no such chain. */
  requireChain(name: NetworkName, blockchainId: string): Promise<ServedChain>;
  /** Throws `UNAVAILABLE` if one of these chains has no indexed block or vertex yet. */
  requireIndexed(network: ServedNetwork, ...chains: readonly PrimaryChain[]): Promise<void>;
  /** Every configured network whose genesis is indexed. */
  all(): Promise<ServedNetwork[]>;
}

type Row = Omit<ServedNetwork, "network">;

interface ProgressRow {
  readonly chain: PrimaryChain;
  readonly state: string;
  readonly reason: string | null;
}

const OF_ID = `SELECT ${columns<Row>("networkId", "hrp", "genesisTimestamp", "xChainId", "cChainId", "avaxAssetId")}
  FROM primary_networks WHERE network_id = $1`;

/** Progress of the first chain (in the order P, X, C) whose indexer gives a reason, or of the first chain if none does. */
const PROGRESS = `SELECT chain, state, reason FROM primary_progress WHERE network_id = $1
  ORDER BY reason IS NULL, position(chain IN 'PXC') LIMIT 1`;

/** While a network has no row, each request looks for it. A row that exists is kept in memory, because it never changes. */
export function createNetworks(database: Database, { primaryNetworks }: Pick<Config, "primaryNetworks">): Networks {
  const { pool } = database;
  const configured = primaryNetworks.map(({ network, networkId }) => ({ network, networkId: String(networkId) }));
  const networkIds = new Map(configured.map(({ network, networkId }) => [network, networkId]));
  const progressOf = prepared<ProgressRow>(pool, "primary-network-progress", PROGRESS);
  const indexedChains = createIndexedChains(database);
  const ofId = prepared<Row>(pool, "primary-network", OF_ID);
  const rowOf = createRowReader(networkIds, async (networkId) => {
    const [row] = await ofId([networkId], SERVICE_WORK);
    if (row) await indexedChains.load(row);
    return row ?? null;
  });

  async function get(name: NetworkName, ...chains: readonly PrimaryChain[]): Promise<ServedNetwork | null> {
    const network = name === "testnet" ? "fuji" : name;
    const networkId = networkIds.get(network);
    if (networkId === undefined) return null;
    const found = await rowOf(network);
    if (!found) {
      const [progress] = await progressOf([networkId], SERVICE_WORK);
      const state = progress ? `${PRIMARY_CHAIN_ALIASES[progress.chain]} is ${progress.state}` : null;
      throw notIndexed(`network ${network}`, { state, reason: progress?.reason ?? null });
    }
    if (chains.length > 0) await indexedChains.require(found, chains);
    return found;
  }

  async function requireNetwork(name: NetworkName, ...chains: readonly PrimaryChain[]): Promise<ServedNetwork> {
    const found = await get(name, ...chains);
    if (found) return found;
    const served = [...networkIds.keys()].join(", ") || "none";
    throw new Failure("NOT_FOUND", `network ${name} is not served; served networks: ${served}`);
  }

  return {
    configured,
    get,
    require: requireNetwork,
    async requireChain(name, blockchainId) {
      const network = await requireNetwork(name);
      const chain = findChain(network, blockchainId);
      await indexedChains.require(network, [chain]);
      return { network, chain };
    },
    requireIndexed: (network, ...chains) => indexedChains.require(network, chains),
    async all() {
      const found = await Promise.all([...networkIds.keys()].map(rowOf));
      return found.filter((one) => one !== null);
    },
  };
}

/** Reads a network's row. Concurrent requests share one statement. A row that exists is kept in memory. */
function createRowReader(
  networkIds: ReadonlyMap<Network, string>,
  readRow: (networkId: string) => Promise<Row | null>,
): (network: Network) => Promise<ServedNetwork | null> {
  const known = new Map<Network, ServedNetwork>();
  const read = createSharedReads(async (network: Network): Promise<ServedNetwork | null> => {
    const row = await readRow(networkIds.get(network) ?? "");
    if (!row) return null;
    const found = { network, ...row };
    known.set(network, found);
    return found;
  });
  return async (network) => known.get(network) ?? read(network, SERVICE_WORK);
}
