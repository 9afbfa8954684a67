import { z } from "zod";
import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import type { Network } from "../../../core/config/settings/network.ts";
import { type Databases, prepared, runTogether } from "../../../core/database/database.ts";
import { Failure } from "../../../core/errors/errors.ts";
import { formatId, parseIdText } from "../../../core/formats/id-text.ts";
import { defaultUpgrades, UPGRADES, type Upgrade, type UpgradeTimes } from "../../../core/networks/upgrades.ts";
import type { Work } from "../../../core/work/work.ts";
import { bytea } from "../../shared/rows/text-rows.ts";

/** A network, as configured. */
export interface NamedNetwork {
  readonly network: Network;
  readonly networkId: number;
  /** True if the primary network itself is configured; false if only EVM chains of the network are. */
  readonly isPrimaryConfigured: boolean;
  /** The configured EVM chains of the network. */
  readonly evmChains: readonly EvmChainConfig[];
}

/** Indexed data of a network. Ids are CB58. */
export interface IndexedNetwork {
  /** False before the network's genesis is indexed. Always true if the primary network is not configured. */
  isGenesisIndexed(work: Work): Promise<boolean>;
  /** Null if the primary network is not configured. Throws `UNAVAILABLE` before the network's genesis is indexed. */
  blockchainId(chain: "X" | "C", work: Work): Promise<string | null>;
  /** True for the id of one of the network's blockchains except the P-Chain. */
  isBlockchain(text: string, work: Work): Promise<boolean>;
  /**
   * True if the index has reached the node's latest block of the blockchain, now or at an earlier call since this
   * process started. False before the network's genesis is indexed. Null if the blockchain is not configured.
   */
  hasReachedHead(blockchainId: string, work: Work): Promise<boolean | null>;
  /** Throws `UNAVAILABLE` before the network's genesis is indexed. */
  upgradeTimes(work: Work): Promise<UpgradeTimes>;
}

const NETWORK_ROW = `SELECT x_chain_id AS "X", c_chain_id AS "C", rules FROM primary_networks WHERE network_id = $1`;
const BLOCKCHAIN = "SELECT 1 AS one FROM blockchains WHERE network_id = $1 AND blockchain_id = $2";
/** Parameters: network id, letter of the chain. */
const PRIMARY_PROGRESS = `SELECT p.state, p.node_block_number <= h.block_number AS "hasAllBlocks"
  FROM primary_progress p LEFT JOIN primary_heads h USING (network_id, chain) WHERE p.network_id = $1 AND p.chain = $2`;
const EVM_PROGRESS = `SELECT p.state, p.node_block_number <= h.block_number AS "hasAllBlocks"
  FROM chain_progress p LEFT JOIN chain_heads h USING (chain_id) WHERE p.chain_id = $1`;

interface NetworkRow {
  readonly X: string;
  readonly C: string;
  readonly rules: string;
}

interface Progress {
  readonly state: string;
  readonly hasAllBlocks: boolean | null;
}

const storedUpgrades = z.object({
  upgrades: z.object(Object.fromEntries(UPGRADES.map((name) => [name, z.number()])) as Record<Upgrade, z.ZodNumber>),
});

const P_CHAIN = formatId("00".repeat(32));

export function createIndexedNetwork(
  { evm: evmRows, primary: { pool } }: Pick<Databases, "evm" | "primary">,
  named: NamedNetwork,
): IndexedNetwork {
  const { network, networkId, evmChains } = named;
  const networkRows = prepared<NetworkRow>(pool, "node-network", NETWORK_ROW);
  const blockchain = prepared<{ one: number }>(pool, "node-blockchain", BLOCKCHAIN);
  const progressOfPrimary = prepared<Progress>(pool, "node-primary-progress", PRIMARY_PROGRESS);
  const progressOfEvm = prepared<Progress>(evmRows.pool, "node-chain-progress", EVM_PROGRESS);
  const reached = new Set<string>();
  const isGenesisIndexed = async (work: Work) =>
    !named.isPrimaryConfigured || (await networkRows([networkId], work)).length > 0;
  const networkRow = async (work: Work): Promise<NetworkRow | null> => {
    if (!named.isPrimaryConfigured) return null;
    const [row] = await networkRows([networkId], work);
    if (row) return row;
    throw new Failure("UNAVAILABLE", `network ${network} is not indexed yet: its genesis has not been read`);
  };
  const chainOf = async (blockchainId: string, work: Work): Promise<"P" | "X" | "C" | null> => {
    const found = await networkRow(work);
    if (!found) return null;
    if (blockchainId === P_CHAIN) return "P";
    return (["X", "C"] as const).find((chain) => formatId(found[chain].slice(2)) === blockchainId) ?? null;
  };
  return {
    isGenesisIndexed,
    async blockchainId(chain, work) {
      const found = await networkRow(work);
      return found && formatId(found[chain].slice(2));
    },
    async isBlockchain(text, work) {
      const hex = parseIdText(text);
      if (hex === null) return false;
      if (evmChains.some((chain) => chain.blockchainId === text)) return true;
      return (await blockchain([networkId, bytea(`0x${hex}`)], work)).length > 0;
    },
    async hasReachedHead(blockchainId, work) {
      if (reached.has(blockchainId)) return true;
      if (!(await isGenesisIndexed(work))) return false;
      const chain = await chainOf(blockchainId, work);
      const evm = evmChains.find((one) => one.blockchainId === blockchainId);
      if (chain === null && !evm) return null;
      const runs = [
        ...(chain === null ? [] : [progressOfPrimary.with([networkId, chain])]),
        ...(evm ? [progressOfEvm.with([evm.chainId])] : []),
      ];
      const rows = (await runTogether(runs, work)).flat();
      const expected = (chain === null ? 0 : 1) + (evm ? 1 : 0);
      // A chain stays bootstrapped until the process ends, even if its node is unavailable later.
      const done = rows.filter(({ state, hasAllBlocks }) => state === "FOLLOWING" || hasAllBlocks).length === expected;
      if (done) reached.add(blockchainId);
      return done;
    },
    async upgradeTimes(work) {
      const found = await networkRow(work);
      return found ? storedUpgrades.parse(JSON.parse(found.rules)).upgrades : defaultUpgrades(networkId);
    },
  };
}
