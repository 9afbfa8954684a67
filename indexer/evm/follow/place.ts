import type pg from "pg";
import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import type { NodeSettings } from "../../../core/config/settings/nodes.ts";
import { BadUpstreamData, messageOf } from "../../../core/errors/errors.ts";
import { isOutage } from "../../../core/errors/outage.ts";
import { parseIdText } from "../../../core/formats/id-text.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { type Clock, SYSTEM_CLOCK } from "../../shared/clock.ts";
import { pgBytes } from "../../shared/pg-bytes.ts";
import { type Queries, queriesOf, type Session, type Writer } from "../../shared/writer.ts";
import { createBlockchainIdLookup } from "./blockchain-id.ts";
import {
  type Finding,
  findPlace,
  type IndexedNetworks,
  type IndexOf,
  type Place,
  type PlaceQuestion,
} from "./find-place.ts";

/** How often the index is asked again while it does not have the blockchain. */
const RETRY_MS = 60_000;

type Chain = Pick<EvmChainConfig, "chainId" | "network" | "blockchainId" | "subnetId" | "vmId"> & NodeSettings;

interface PlaceDeps {
  readonly chain: Chain;
  readonly primaryNetworks: IndexedNetworks;
  readonly writer: Pick<Writer, "transaction">;
  /** The pool of the database that has a network; null if it is the database of the chain. Default: it is. */
  readonly otherDatabase?: (networkId: number) => Pick<pg.Pool, "query"> | null;
  readonly logger: Logger;
  /** Default: the system's. */
  readonly clock?: Pick<Clock, "nowMs">;
}

/**
 * Returns a function that compares the settings of a chain with the P-Chain's index, and stores the place of the chain for the API. It
 * throws `BadUpstreamData` if they contradict each other. The index may get the blockchain later, so the function is called again and
 * again; once both agree, it does nothing. If no index has the blockchain, this is logged once, and the API serves the ids of the settings
 * as unverified.
 */
export function createPlaceCheck({
  chain,
  primaryNetworks,
  writer,
  otherDatabase = () => null,
  logger,
  clock = SYSTEM_CLOCK,
}: PlaceDeps): () => Promise<void> {
  const lookup = createBlockchainIdLookup(chain, clock);
  let isSettled = primaryNetworks.length === 0;
  let isLogged = false;
  let nextMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (isSettled || clock.nowMs() < nextMs) return;
    const question = { chain, blockchainId: await lookup(), primaryNetworks };
    const finding = await findOutside({ primaryNetworks, otherDatabase, writer, logger }, question);
    await writer.transaction((session) => storeFinding(session, chain.chainId, finding));
    const contradiction = contradictionOf(chain, finding);
    if (contradiction !== null) throw new BadUpstreamData(contradiction);
    isSettled = finding.kind === "found";
    nextMs = clock.nowMs() + RETRY_MS;
    if (finding.kind === "unknown" && !isLogged) logUnverified(logger, chain, finding.reason);
    isLogged ||= finding.kind === "unknown";
  };
}

/**
 * Finds the place, outside of a transaction of the chain. A chain is indexed without the other databases: if one cannot be reached, the
 * index does not have the blockchain yet.
 */
async function findOutside(
  { primaryNetworks, otherDatabase, writer, logger }: Omit<Required<PlaceDeps>, "chain" | "clock">,
  question: PlaceQuestion,
): Promise<Finding> {
  const own: Queries = { query: (text, values) => writer.transaction(({ query }) => query(text, values)) };
  const indexOf = (networkId: number): Queries => {
    const other = otherDatabase(networkId);
    return other ? queriesOf(other) : own;
  };
  try {
    return await findPlace(indexOf, question);
  } catch (error) {
    if (!primaryNetworks.some(({ networkId }) => otherDatabase(networkId) !== null) || !isOutage(error)) throw error;
    logger.debug({ reason: messageOf(error) }, "the database of a primary network cannot be reached");
    return { kind: "incomplete" };
  }
}

/** Stores the place of a chain, or that the settings are refuted: then without ids, so that the API serves none. */
async function storeFinding(session: Session, chainId: number, finding: Finding): Promise<void> {
  if (finding.kind === "incomplete") return;
  if (finding.kind === "unknown") await session.query("DELETE FROM chain_places WHERE chain_id = $1", [chainId]);
  else if (finding.kind === "refuted") await storePlace(session, chainId, { network: finding.network });
  else await storePlace(session, chainId, finding.place);
}

async function storePlace(
  session: Session,
  chainId: number,
  { network, blockchainId, subnetId, vmId }: Pick<Place, "network"> & Partial<Place>,
): Promise<void> {
  const bytesOf = (id?: string) => (id === undefined ? null : pgBytes(parseIdText(id) ?? ""));
  await session.query(
    `INSERT INTO chain_places (chain_id, network, blockchain_id, subnet_id, vm_id) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (chain_id) DO UPDATE SET network = excluded.network, blockchain_id = excluded.blockchain_id,
       subnet_id = excluded.subnet_id, vm_id = excluded.vm_id`,
    [chainId, network, bytesOf(blockchainId), bytesOf(subnetId), bytesOf(vmId)],
  );
}

/** What in the settings of a chain contradicts the P-Chain's index; null if nothing does, or if the index does not have the blockchain. */
export async function placeContradiction(
  indexOf: IndexOf,
  chain: Chain,
  primaryNetworks: IndexedNetworks,
): Promise<string | null> {
  if (primaryNetworks.length === 0) return null;
  const blockchainId = await createBlockchainIdLookup(chain, SYSTEM_CLOCK)();
  return contradictionOf(chain, await findPlace(indexOf, { chain, blockchainId, primaryNetworks }));
}

function contradictionOf(chain: Chain, finding: Finding): string | null {
  if (finding.kind === "refuted") return contradiction(chain, `${finding.network}: ${finding.reason}`);
  if (finding.kind !== "found") return null;
  const { place } = finding;
  const wrong = (["network", "subnetId", "vmId"] as const).flatMap((setting) => {
    const value = chain[setting];
    return value === undefined || value === place[setting] ? [] : [`${setting} is ${value}, not ${place[setting]}`];
  });
  if (wrong.length === 0) return null;
  const detail = `${place.network}, which has blockchain ${place.blockchainId}: ${wrong.join(", ")}`;
  return contradiction(chain, `${detail}; correct them in evmChains`);
}

const contradiction = ({ chainId }: Chain, detail: string): string =>
  `the settings of chain ${chainId} contradict the P-Chain's index of ${detail}`;

function logUnverified(logger: Logger, chain: Chain, reason: string): void {
  const settings = (["blockchainId", "subnetId", "vmId"] as const).filter((setting) => chain[setting] !== undefined);
  if (settings.length === 0) return;
  const text = `the settings ${settings.join(", ")} of chain ${chain.chainId} are served unverified: ${reason}`;
  logger.warn({ chainId: String(chain.chainId) }, text);
}
