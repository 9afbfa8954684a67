import type { PrimaryNetworkConfig } from "../../../core/config-schema.ts";
import { BadUpstreamData } from "../../../core/errors.ts";
import { formatId } from "../../../core/id-text.ts";
import type { UpgradeTimes } from "../../../core/upgrades.ts";
import type { Session, Writer } from "../../shared/writer.ts";
import type { PrimarySource } from "../fetch/source.ts";
import { type GenesisFacts, genesisFacts } from "../genesis/facts.ts";
import { parseGenesisFile } from "../genesis/parse.ts";
import { type NetworkFacts, networkFacts } from "../network/network.ts";
import { chosenRules, isOfTheFuture, isWellKnown } from "../network/rule-sources.ts";
import { formatRules, type NetworkRules, parseRules, parseUpgrades } from "../network/rules.ts";
import { fromSettingsFile } from "../network/settings-file.ts";
import { identifyNetwork } from "./identify-chain.ts";

export interface NetworkDeps {
  readonly settings: PrimaryNetworkConfig;
  readonly source: PrimarySource;
  readonly writer: Writer;
}

/** The node has learnt of an upgrade to come: what goes by the rules must begin again with these. */
export class RulesChanged extends Error {
  override readonly name = "RulesChanged";
}

/**
 * The facts of a network, out of its genesis and the rules that are stored, or, at the first start, that its node tells.
 * Stores them. Rows that were made by other rules are marked to be made again. Throws `NodeUnavailable`, or
 * `BadUpstreamData`, also for a file that cannot be used.
 */
export async function loadNetwork({ settings, source, writer }: NetworkDeps): Promise<NetworkFacts> {
  const { networkId } = settings;
  const genesis = await readGenesis(settings);
  const upgrades = await readUpgrades(settings);
  const stored = await writer.transaction((session) => loadStored(session, networkId));
  if (stored && stored.genesisId !== genesis.id)
    throw new BadUpstreamData(
      `what is indexed began with the genesis ${formatId(stored.genesisId)}, but that of the settings is ${formatId(genesis.id)}`,
    );
  const isToldByNode = !stored?.rules && !isWellKnown(networkId);
  if (isToldByNode) await identifyNetwork(source, { networkId, genesis });
  const told = isToldByNode ? await source.rules() : {};
  const network = networkFacts(networkId, genesis.bytes, chosenRules(settings, upgrades, told, stored?.rules ?? null));
  await writer.transaction(async (session) => {
    await storeNetwork(session, network);
    if (stored?.rules && formatRules(stored.rules) !== formatRules(network)) await markOutdated(session, networkId);
  });
  return network;
}

/**
 * Looks whether the node still tells the rules by which the rows are made. Of changes that are still to come the rules take
 * note, and `RulesChanged` is thrown; others are `BadUpstreamData`.
 */
export async function checkRules(
  { settings, source, writer }: NetworkDeps,
  network: NetworkFacts,
  chainTimestamp: number,
): Promise<void> {
  const upgrades = settings.upgradesFile === undefined ? null : network.upgrades;
  const rules = chosenRules(settings, upgrades, await source.rules(), network);
  if (formatRules(rules) === formatRules(network)) return;
  if (!isOfTheFuture(network, rules, chainTimestamp))
    throw new BadUpstreamData(
      "the node tells other times of upgrades or other parameters of fees than those by which the rows were made",
    );
  await writer.transaction((session) => storeNetwork(session, { ...network, ...rules }));
  throw new RulesChanged("the node tells of other upgrades to come");
}

async function readGenesis({
  networkId,
  genesisFile,
}: PrimaryNetworkConfig): Promise<{ id: string; bytes: Uint8Array }> {
  const identified = (facts: GenesisFacts) => ({ id: facts.id, bytes: facts.platformBytes() });
  if (genesisFile === undefined) return identified(genesisFacts(networkId));
  return fromSettingsFile("the genesis that the settings name cannot be used", genesisFile, (text) =>
    identified(genesisFacts(parseGenesisFile(text, genesisFile))),
  );
}

async function readUpgrades({ upgradesFile }: PrimaryNetworkConfig): Promise<UpgradeTimes | null> {
  if (upgradesFile === undefined) return null;
  return fromSettingsFile("the upgrade file that the settings name cannot be used", upgradesFile, (text) =>
    parseUpgrades(JSON.parse(text)),
  );
}

interface StoredNetwork {
  readonly genesisId: string;
  /** Null where an older version stored them otherwise. */
  readonly rules: NetworkRules | null;
}

async function loadStored(session: Session, networkId: number): Promise<StoredNetwork | null> {
  const [row] = await session.query<{ genesis_hash: Buffer; rules: string }>(
    "SELECT genesis_hash, rules FROM primary_networks WHERE network_id = $1",
    [networkId],
  );
  return row ? { genesisId: row.genesis_hash.toString("hex"), rules: parseRules(row.rules) } : null;
}

async function storeNetwork(session: Session, network: NetworkFacts): Promise<void> {
  const { networkId, hrp, genesis, xChainId, cChainId, avaxAssetId } = network;
  const bytes = [genesis.id, xChainId, cChainId, avaxAssetId].map((hex) => Buffer.from(hex, "hex"));
  await session.query(
    `INSERT INTO primary_networks
       (network_id, hrp, genesis_timestamp, rules, genesis_hash, x_chain_id, c_chain_id, avax_asset_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (network_id) DO UPDATE SET rules = excluded.rules`,
    [networkId, hrp, genesis.timestamp, formatRules(network), ...bytes],
  );
}

/** No version of the rows is 0: the next start of a replay makes them again out of the journal. */
async function markOutdated(session: Session, networkId: number): Promise<void> {
  await session.query("UPDATE primary_heads SET rows_version = 0 WHERE network_id = $1", [networkId]);
}
