import type { Config, EvmChainConfig } from "../../../core/config-schema.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import { formatId, parseIdText } from "../../../core/id-text.ts";
import type { Network } from "../../../core/settings/network.ts";
import { type Clock, SYSTEM_CLOCK } from "../../shared/clock.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import type { Session, Writer } from "../../shared/writer.ts";

/** How often the index is asked again while it does not have the blockchain. */
const RETRY_MS = 60_000;

/** Where the P-Chain's index has a blockchain. Ids are CB58. */
interface Place {
  readonly network: Network;
  readonly blockchainId: string;
  readonly subnetId: string;
  readonly vmId: string;
}

interface PlaceDeps {
  readonly chain: Pick<EvmChainConfig, "chainId" | "network" | "blockchainId" | "subnetId" | "vmId">;
  readonly primaryNetworks: readonly Pick<Config["primaryNetworks"][number], "network" | "networkId">[];
  readonly writer: Pick<Writer, "transaction">;
  /** Default: the system's. */
  readonly clock?: Pick<Clock, "nowMs">;
}

/**
 * Returns a function that compares the settings of a chain with the P-Chain's index, and stores the place of the chain for the API. It
 * throws `BadUpstreamData` if they contradict each other. The index may get the blockchain later, so the function is called again and
 * again; once both agree, it does nothing.
 */
export function createPlaceCheck({
  chain,
  primaryNetworks,
  writer,
  clock = SYSTEM_CLOCK,
}: PlaceDeps): () => Promise<void> {
  let isSettled = primaryNetworks.length === 0;
  let nextMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (isSettled || clock.nowMs() < nextMs) return;
    const place = await writer.transaction(async (session) => {
      const found = await findPlace(session, chain, primaryNetworks);
      if (found) await storePlace(session, chain.chainId, found);
      return found;
    });
    if (!place) nextMs = clock.nowMs() + RETRY_MS;
    else refuseContradictions(chain, place);
    isSettled = place !== null;
  };
}

interface PlaceRow {
  readonly blockchain_id: Buffer;
  readonly subnet_id: Buffer;
  readonly vm_id: Buffer;
}

const BY_ID = "SELECT blockchain_id, subnet_id, vm_id FROM blockchains WHERE network_id = $1 AND blockchain_id = $2";

/** Anyone can create a blockchain with any EVM chain id, so only a chain of the genesis is found by it. */
const BY_CHAIN_ID = `SELECT blockchain_id, subnet_id, vm_id FROM blockchains
  WHERE network_id = $1 AND evm_chain_id = $2 AND create_block_number = -1 AND subnet_id = decode(repeat('00', 32), 'hex')`;

async function findPlace(
  session: Session,
  { chainId, network: name, blockchainId }: PlaceDeps["chain"],
  primaryNetworks: PlaceDeps["primaryNetworks"],
): Promise<Place | null> {
  for (const { network, networkId } of primaryNetworks) {
    if (blockchainId === undefined && network !== name) continue;
    const [row] =
      blockchainId === undefined
        ? await session.query<PlaceRow>(BY_CHAIN_ID, [networkId, chainId])
        : await session.query<PlaceRow>(BY_ID, [networkId, pgBytes(parseIdText(blockchainId) ?? "")]);
    if (!row) continue;
    const idOf = (bytes: Buffer) => formatId(bytes.toString("hex"));
    return { network, blockchainId: idOf(row.blockchain_id), subnetId: idOf(row.subnet_id), vmId: idOf(row.vm_id) };
  }
  return null;
}

async function storePlace(session: Session, chainId: number, place: Place): Promise<void> {
  const bytesOf = (id: string) => pgBytes(parseIdText(id) ?? "");
  await session.query(
    `INSERT INTO chain_places (chain_id, network, blockchain_id, subnet_id, vm_id) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (chain_id) DO UPDATE SET network = excluded.network, blockchain_id = excluded.blockchain_id,
       subnet_id = excluded.subnet_id, vm_id = excluded.vm_id`,
    [chainId, place.network, bytesOf(place.blockchainId), bytesOf(place.subnetId), bytesOf(place.vmId)],
  );
}

function refuseContradictions(chain: PlaceDeps["chain"], place: Place): void {
  const wrong = (["network", "subnetId", "vmId"] as const).flatMap((setting) => {
    const value = chain[setting];
    return value === undefined || value === place[setting] ? [] : [`${setting} is ${value}, not ${place[setting]}`];
  });
  if (wrong.length === 0) return;
  throw new BadUpstreamData(
    `the settings of chain ${chain.chainId} contradict the P-Chain's index of ${place.network}, which has blockchain ${place.blockchainId}: ${wrong.join(", ")}; correct them in evmChains`,
  );
}
