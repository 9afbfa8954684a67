import type { PrimaryNetworkConfig } from "../../core/config/config-schema.ts";
import { NETWORK_IDS } from "../../core/config/settings/network.ts";
import { messageOf } from "../../core/errors/errors.ts";
import { decodePBlock } from "../../core/formats/codec/blocks/p-blocks.ts";
import { formatId } from "../../core/formats/id-text.ts";
import { nodesOf } from "../../core/networks/nodes.ts";
import { answerOf, type CheckedNode, type SettingsFindings, textAt } from "../shared/settings-findings.ts";
import { type GenesisSummary, summariseGenesis } from "./genesis/genesis-summary.ts";
import { parseGenesisFile } from "./genesis/parse.ts";
import { readUpgrades } from "./identify/load-network.ts";
import { readSettingsFile } from "./network/settings-file.ts";

/**
 * Compares an entry of `primaryNetworks` with its nodes: `networkId` with `info.getNetworkID`, and `genesisFile` with the
 * network id and with the parent of P-Chain block 0. Also reads `upgradesFile`. `setting` is the path of the entry.
 */
export async function checkPrimaryNetwork(
  entry: PrimaryNetworkConfig,
  setting: string,
  findings: SettingsFindings,
): Promise<void> {
  const nodes = nodesOf(entry).map((node) => ({ node, setting, findings }));
  const areSame = await Promise.all(nodes.map((one) => checkNetworkId(entry, one)));
  await readUpgrades(entry).catch((error: unknown) =>
    findings.error(`setting ${setting}.upgradesFile is "${entry.upgradesFile}": ${detailOf(error)}`),
  );
  const genesis = await readGenesis(entry, setting, findings);
  if (!genesis) return;
  await Promise.all(nodes.filter((_, i) => areSame[i]).map((one) => checkGenesis(entry, genesis, one)));
}

/** True if the node belongs to the configured network; false if it does not, or did not answer. */
async function checkNetworkId(
  { network, networkId }: PrimaryNetworkConfig,
  { node: { url, headers, setting: ofNode }, setting, findings }: CheckedNode,
): Promise<boolean> {
  const node = { url: urlOf(url, "info"), headers };
  const question = { node, setting: `${setting}.${ofNode}`, method: "info.getNetworkID", params: {}, findings };
  const served = await answerOf(question, (result) => textAt(result, "networkID"));
  if (served === null || served === String(networkId)) return served !== null;
  const value = networkId === NETWORK_IDS[network] ? `${networkId} (the default of ${network})` : networkId;
  findings.error(
    `setting ${setting}.networkId is ${value}: the node at ${new URL(url).host} belongs to network ${served}; set networkId to ${served}, or correct ${ofNode}`,
  );
  return false;
}

async function readGenesis(
  { genesisFile, networkId }: PrimaryNetworkConfig,
  setting: string,
  findings: SettingsFindings,
): Promise<GenesisSummary | null> {
  if (genesisFile === undefined) return null;
  try {
    const read = (text: string) => summariseGenesis(parseGenesisFile(text, genesisFile));
    const genesis = await readSettingsFile("genesisFile", genesisFile, read);
    if (genesis.networkId === networkId) return genesis;
    findings.error(
      `setting ${setting}.genesisFile is "${genesisFile}": it is the genesis of network ${genesis.networkId}, but networkId is ${networkId}; set genesisFile to the genesis file of network ${networkId}`,
    );
  } catch (error) {
    findings.error(`setting ${setting}.genesisFile is "${genesisFile}": ${detailOf(error)}`);
  }
  return null;
}

/** The detail of an unusable file is in `detail`; its message is for callers of the API. */
function detailOf(error: unknown): string {
  const { detail } = Object(error) as { readonly detail?: unknown };
  return typeof detail === "string" ? detail : messageOf(error);
}

/** The parent of P-Chain block 0 is the genesis. */
async function checkGenesis(
  { genesisFile }: PrimaryNetworkConfig,
  genesis: GenesisSummary,
  { node: { url, headers, setting: ofNode }, setting, findings }: CheckedNode,
): Promise<void> {
  const node = { url: urlOf(url, "bc/P"), headers };
  const params = { height: 0, encoding: "hexnc" };
  const question = { node, setting: `${setting}.${ofNode}`, method: "platform.getBlockByHeight", params, findings };
  const block = await answerOf(question, (result) =>
    decodePBlock(Buffer.from(textAt(result, "block").slice(2), "hex")),
  );
  if (block === null || block.parentId === genesis.id) return;
  findings.error(
    `setting ${setting}.genesisFile is "${genesisFile}": the id of this genesis is ${formatId(genesis.id)}, but the network of the node at ${new URL(url).host} began with ${formatId(block.parentId)}; set genesisFile to the genesis file that the node uses`,
  );
}

const urlOf = (nodeUrl: string, path: string): string => `${nodeUrl.replace(/\/+$/, "")}/ext/${path}`;
