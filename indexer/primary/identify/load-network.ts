import type { PrimaryNetworkConfig } from "../../../core/config/config-schema.ts";
import { parseSettingsJson } from "../../../core/config/settings/parse-json.ts";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { formatId } from "../../../core/formats/id-text.ts";
import type { UpgradeTimes } from "../../../core/networks/upgrades.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import type { Writer } from "../../shared/writer.ts";
import type { PrimarySource } from "../fetch/source.ts";
import { type GenesisSummary, summariseGenesis } from "../genesis/genesis-summary.ts";
import { parseGenesisFile } from "../genesis/parse.ts";
import { type NetworkFacts, networkFacts } from "../network/network.ts";
import { chosenRules, differOnlyAfter, isWellKnown } from "../network/rule-sources.ts";
import { formatRules, type NodeRules, parseUpgrades } from "../network/rules.ts";
import { readSettingsFile } from "../network/settings-file.ts";
import { identifyNetwork } from "./identify-network.ts";
import { loadStoredNetwork, markRowsOutdated, storeNetwork } from "./stored-network.ts";

export interface NetworkDeps {
  readonly settings: PrimaryNetworkConfig;
  readonly source: Pick<PrimarySource, "networkId" | "blocks" | "upgrades" | "feeRules">;
  readonly writer: Writer;
}

/** The node reports an upgrade that was scheduled after the rules were stored: indexing must restart with the new rules. */
export class RulesChanged extends Error {
  override readonly name = "RulesChanged";
}

/**
 * Loads the facts of a network: its genesis and its rules. The rules come from settings and files, else from the database, else
 * from the node. For mainnet and Fuji, the built-in rules are used, and the node is not asked. Stores the rules, and marks rows as
 * outdated if they were derived with other rules. Throws `NodeUnavailable`, or `BadUpstreamData` if the genesis or a file is
 * wrong. With `replacesStoredRules`, the rules in the database are ignored.
 */
export async function loadNetwork(
  { settings, source, writer }: NetworkDeps,
  { replacesStoredRules = false } = {},
): Promise<NetworkFacts> {
  const { networkId } = settings;
  const genesis = await readGenesis(settings);
  const upgrades = await readUpgrades(settings);
  const stored = await writer.transaction((session) => loadStoredNetwork(session, networkId));
  if (stored && stored.genesisId !== genesis.id)
    throw new BadUpstreamData(
      `the database was indexed from the genesis ${formatId(stored.genesisId)}, but that of primaryNetworks[].genesisFile is ${formatId(genesis.id)}: correct the setting, or use another database`,
    );
  const known = replacesStoredRules ? null : (stored?.rules ?? null);
  const needsNode = known === null && !isWellKnown(networkId);
  if (needsNode) await identifyNetwork(source, { networkId, genesis });
  const fromNode = needsNode ? await askForRules(source, settings) : {};
  const network = networkFacts(networkId, genesis.bytes, chosenRules(settings, upgrades, fromNode, known));
  await writer.transaction(async (session) => {
    await storeNetwork(session, network);
    if (stored?.rules && formatRules(stored.rules) !== formatRules(network)) await markRowsOutdated(session, networkId);
  });
  return network;
}

/**
 * Checks that the node still reports the rules with which the rows were derived. If the rules differ only in what takes effect
 * after `chainTimestamp` (seconds), stores the node's rules and throws `RulesChanged`. If they differ in other ways, throws
 * `BadUpstreamData`, which says what to do if the node is right.
 */
export async function checkRules(
  { settings, source, writer }: NetworkDeps,
  network: NetworkFacts,
  chainTimestamp: number,
): Promise<void> {
  const upgrades = settings.upgradesFile === undefined ? null : network.upgrades;
  const rules = chosenRules(settings, upgrades, await askForRules(source, settings, network), network);
  if (formatRules(rules) === formatRules(network)) return;
  if (!differOnlyAfter(network, rules, chainTimestamp))
    throw new BadUpstreamData(
      `the node reports upgrade times or fee parameters that differ from those that the rows were computed with. If the node is right, ${remedy(settings)}`,
    );
  await writer.transaction((session) => storeNetwork(session, { ...network, ...rules }));
  throw new RulesChanged("the node reports a newly scheduled upgrade");
}

/** A replay does not help on mainnet and Fuji: it takes their rules from this version, not from the node. */
function remedy({ networkId, network }: PrimaryNetworkConfig): string {
  if (isWellKnown(networkId))
    return "update Moraine to a version that knows these times: it rebuilds the rows when it starts";
  return `stop the indexer and run \`moraine replay --network ${network}\`, which rebuilds the rows with the node's rules`;
}

/**
 * Requests from the node the rules that are defined neither by this version nor by a file. If the node's Info API is off,
 * `known` is used.
 */
async function askForRules(
  source: NetworkDeps["source"],
  { networkId, upgradesFile }: PrimaryNetworkConfig,
  known?: NodeRules,
): Promise<NodeRules> {
  const [upgrades, fees] = await Promise.all([
    upgradesFile === undefined ? askForUpgrades(source, networkId, known) : null,
    isWellKnown(networkId) ? {} : source.feeRules(),
  ]);
  return { ...fees, ...(upgrades && { upgrades }) };
}

async function askForUpgrades(
  source: NetworkDeps["source"],
  networkId: number,
  known: NodeRules | undefined,
): Promise<UpgradeTimes | null> {
  try {
    return await source.upgrades();
  } catch (error) {
    if (!(error instanceof NodeUnavailable && error.isMissing)) throw error;
    if (known?.upgrades || isWellKnown(networkId)) return null;
    throw new NodeUnavailable(
      "the node's info API is off, so the upgrade times of the network are unknown: switch it on (--api-info-enabled) or set primaryNetworks[].upgradesFile",
      0,
      true,
      error.detail,
    );
  }
}

/** Id and bytes of the genesis: that of the file, or the built-in one. Throws `UnusableFile`. */
export async function readGenesis({
  networkId,
  genesisFile,
}: Pick<PrimaryNetworkConfig, "networkId" | "genesisFile">): Promise<{ id: string; bytes: Uint8Array }> {
  const identified = (summary: GenesisSummary) => ({ id: summary.id, bytes: summary.platformBytes() });
  if (genesisFile === undefined) return identified(summariseGenesis(networkId));
  return readSettingsFile("genesisFile", genesisFile, (text) =>
    identified(summariseGenesis(parseGenesisFile(text, genesisFile))),
  );
}

/** The times of the upgrade file; null without one. Throws `UnusableFile`. */
export async function readUpgrades({
  upgradesFile,
}: Pick<PrimaryNetworkConfig, "upgradesFile">): Promise<UpgradeTimes | null> {
  if (upgradesFile === undefined) return null;
  return readSettingsFile("upgradesFile", upgradesFile, (text) => parseUpgrades(parseSettingsJson(text)));
}
