import type { EvmChainConfig } from "../../core/config/config-schema.ts";
import { BadUpstreamData } from "../../core/errors/errors.ts";
import { nodesOf } from "../../core/networks/nodes.ts";
import { answerOf, type CheckedNode, type SettingsFindings, textAt } from "../shared/settings-findings.ts";
import { blockchainInUrl } from "./node-url.ts";

/**
 * Compares the ids of an entry of `evmChains` with its node: `chainId` with `eth_chainId`, and `blockchainId` with the chain
 * of the URL. `setting` is the path of the entry.
 */
export async function checkEvmChain(chain: EvmChainConfig, setting: string, findings: SettingsFindings): Promise<void> {
  const checks = nodesOf(chain).flatMap((node) => [
    checkChainId(chain, { node, setting, findings }),
    checkBlockchainId(chain, { node, setting, findings }),
  ]);
  await Promise.all(checks);
}

async function checkChainId({ chainId }: EvmChainConfig, { node, setting, findings }: CheckedNode): Promise<void> {
  const question = { node, setting: `${setting}.${node.setting}`, method: "eth_chainId", params: [], findings };
  const served = await answerOf(question, chainIdOf);
  if (served === null || served === chainId) return;
  findings.error(
    `setting ${setting}.chainId is ${chainId}: the node at ${new URL(node.url).host} serves chain ${served}; set chainId to ${served}, or correct ${node.setting}`,
  );
}

function chainIdOf(result: unknown): number {
  if (typeof result === "string" && /^0x[0-9a-f]{1,13}$/i.test(result)) return Number(result);
  throw new BadUpstreamData("the answer is not a chain id");
}

/** Only a URL of avalanchego names the chain: by its blockchain id, or by an alias that the node resolves. */
async function checkBlockchainId(
  { blockchainId }: EvmChainConfig,
  { node: { url, headers, setting: ofNode }, setting, findings }: CheckedNode,
): Promise<void> {
  const inUrl = blockchainInUrl(url);
  if (blockchainId === undefined || inUrl === null) return;
  const alias = inUrl.name;
  const node = { url: inUrl.infoUrl, headers };
  const method = "info.getBlockchainID";
  const question = { node, setting: `${setting}.${ofNode}`, method, params: { alias }, findings };
  const served = inUrl.blockchainId ?? (await answerOf(question, (result) => textAt(result, "blockchainID")));
  if (served === null || served === blockchainId) return;
  findings.error(
    `setting ${setting}.blockchainId is "${blockchainId}": the chain ${alias} of the node at ${new URL(url).host} is ${served}; set blockchainId to ${served}, or correct ${ofNode}`,
  );
}
