import type { Config, EvmChainConfig } from "../../../core/config/config-schema.ts";
import type { Network } from "../../../core/config/settings/network.ts";
import { formatId, parseIdText } from "../../../core/formats/id-text.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Queries } from "../../shared/writer.ts";

/** Where the P-Chain's index has a blockchain. Ids are CB58. */
export interface Place {
  readonly network: Network;
  readonly blockchainId: string;
  readonly subnetId: string;
  readonly vmId: string;
}

/** What the indexes of the P-Chains have of the blockchain of an EVM chain. */
export type Finding =
  | { readonly kind: "found"; readonly place: Place }
  /** The settings cannot be true, for this reason. No place is known. */
  | { readonly kind: "refuted"; readonly network: Network; readonly reason: string }
  /** No index has the blockchain, for this reason, although each of them has reached the head of its P-Chain. */
  | { readonly kind: "unknown"; readonly reason: string }
  /** No index has the blockchain yet. */
  | { readonly kind: "incomplete" };

type ChainIds = Pick<EvmChainConfig, "chainId" | "network" | "blockchainId" | "subnetId" | "vmId">;
export type IndexedNetworks = readonly Pick<Config["primaryNetworks"][number], "network" | "networkId">[];
type IndexedNetwork = IndexedNetworks[number];

export interface PlaceQuestion {
  readonly chain: ChainIds;
  /** CB58; null if nothing names the blockchain. */
  readonly blockchainId: string | null;
  readonly primaryNetworks: IndexedNetworks;
}

/** The statements of the database that has the index of a network. */
export type IndexOf = (networkId: number) => Queries;

/**
 * Finds the blockchain of an EVM chain: by its id; without an id, as the chain with its EVM chain id of the network's genesis, or of the
 * subnet in the settings. Anyone can create a blockchain with any EVM chain id and any genesis, but only the owner of a subnet can do so in
 * that subnet.
 */
export async function findPlace(indexOf: IndexOf, question: PlaceQuestion): Promise<Finding> {
  const { chain, blockchainId, primaryNetworks } = question;
  const direct = blockchainId === null ? await findInGenesis(indexOf, question) : await findById(indexOf, question);
  if (direct) return direct;
  const following = await followedNetworks(indexOf, primaryNetworks);
  const ownSubnet = chain.subnetId === undefined || chain.subnetId === PRIMARY_SUBNET ? null : chain.subnetId;
  for (const network of ownSubnet === null ? [] : primaryNetworks) {
    const found = await findInSubnet(indexOf(network.networkId), question, network);
    if (found && (found.kind === "found" || following.has(network.networkId))) return found;
  }
  if (following.size < primaryNetworks.length) return { kind: "incomplete" };
  const reason =
    blockchainId === null
      ? "nothing names its blockchain; set blockchainId"
      : `no P-Chain that is indexed has blockchain ${blockchainId}`;
  return { kind: "unknown", reason };
}

interface BlockchainRow {
  readonly blockchain_id: Buffer;
  readonly subnet_id: Buffer;
  readonly vm_id: Buffer;
  /** Null if the genesis has none. */
  readonly evm_chain_id: string | null;
}

const BLOCKCHAINS = "SELECT blockchain_id, subnet_id, vm_id, evm_chain_id FROM blockchains WHERE network_id = $1";
const BY_ID = `${BLOCKCHAINS} AND blockchain_id = $2`;
const IN_GENESIS = `${BLOCKCHAINS} AND evm_chain_id = $2 AND create_block_number = -1 AND subnet_id = decode(repeat('00', 32), 'hex')`;
const IN_SUBNET = `${BLOCKCHAINS} AND subnet_id = $2 ORDER BY blockchain_seq`;
const SUBNET = "SELECT FROM subnets WHERE network_id = $1 AND subnet_id = $2";
/** A row if the index has reached the head of its P-Chain. */
const IS_FOLLOWING = "SELECT FROM primary_progress WHERE chain = 'P' AND state = 'FOLLOWING' AND network_id = $1";

/** The subnet of every primary network, also of those that are not indexed. */
const PRIMARY_SUBNET = formatId("0".repeat(64));

const bytesOf = (id: string): string => pgBytes(parseIdText(id) ?? "");
const idOf = (bytes: Buffer): string => formatId(bytes.toString("hex"));

function foundAt({ network }: IndexedNetwork, row: BlockchainRow): Finding {
  const { blockchain_id, subnet_id, vm_id } = row;
  const place = { network, blockchainId: idOf(blockchain_id), subnetId: idOf(subnet_id), vmId: idOf(vm_id) };
  return { kind: "found", place };
}

async function findById(
  indexOf: IndexOf,
  { chain, blockchainId, primaryNetworks }: PlaceQuestion,
): Promise<Finding | null> {
  for (const network of primaryNetworks) {
    const [row] = await indexOf(network.networkId).query<BlockchainRow>(BY_ID, [
      network.networkId,
      bytesOf(blockchainId ?? ""),
    ]);
    if (!row) continue;
    if (row.evm_chain_id === null || row.evm_chain_id === String(chain.chainId)) return foundAt(network, row);
    const setting = chain.blockchainId === undefined ? "nodeUrl" : "blockchainId";
    const reason = `${setting} names blockchain ${blockchainId}, whose EVM chain id is ${row.evm_chain_id}, not ${chain.chainId}; correct ${setting}`;
    return { kind: "refuted", network: network.network, reason };
  }
  return null;
}

async function findInGenesis(indexOf: IndexOf, { chain, primaryNetworks }: PlaceQuestion): Promise<Finding | null> {
  const network = primaryNetworks.find((one) => one.network === chain.network);
  if (!network) return null;
  const [row] = await indexOf(network.networkId).query<BlockchainRow>(IN_GENESIS, [network.networkId, chain.chainId]);
  return row ? foundAt(network, row) : null;
}

/** Null if the index does not have the subnet, or if more than one of its blockchains may be the chain. */
async function findInSubnet(
  session: Queries,
  { chain, blockchainId }: PlaceQuestion,
  network: IndexedNetwork,
): Promise<Finding | null> {
  const { chainId, subnetId = "", vmId } = chain;
  const key = [network.networkId, bytesOf(subnetId)];
  const rows = await session.query<BlockchainRow>(IN_SUBNET, key);
  if (blockchainId === null) {
    const same = rows.filter(({ evm_chain_id }) => evm_chain_id === String(chainId));
    const ofVm = same.length > 1 ? same.filter(({ vm_id }) => idOf(vm_id) === vmId) : same;
    if (ofVm.length === 1 && ofVm[0]) return foundAt(network, ofVm[0]);
    // A genesis without an EVM chain id may be that of the chain.
    if (same.length > 0 || rows.some(({ evm_chain_id }) => evm_chain_id === null)) return null;
  }
  if (rows.length === 0 && (await session.query(SUBNET, key)).length === 0) return null;
  const missing = blockchainId === null ? `blockchain with EVM chain id ${chainId}` : `blockchain ${blockchainId}`;
  const remedy = blockchainId === null ? "correct subnetId, or set blockchainId" : "correct subnetId";
  const reason = `subnetId is ${subnetId}, but this subnet has no ${missing}, only ${listOf(rows)}; ${remedy}`;
  return { kind: "refuted", network: network.network, reason };
}

const LISTED = 3;

function listOf(rows: readonly BlockchainRow[]): string {
  if (rows.length === 0) return "none at all";
  const names = rows.slice(0, LISTED).map((row) => idOf(row.blockchain_id));
  return `${names.join(", ")}${rows.length > LISTED ? ` and ${rows.length - LISTED} others` : ""}`;
}

async function followedNetworks(indexOf: IndexOf, networks: IndexedNetworks): Promise<ReadonlySet<number>> {
  const following = new Set<number>();
  for (const { networkId } of networks)
    if ((await indexOf(networkId).query(IS_FOLLOWING, [networkId])).length > 0) following.add(networkId);
  return following;
}
