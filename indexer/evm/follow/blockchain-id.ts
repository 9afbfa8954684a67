import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import { parseId } from "../../../core/formats/cb58.ts";
import type { Clock } from "../../shared/clock.ts";
import { askNode } from "../../shared/node/ask-node.ts";
import { textAt } from "../../shared/settings-findings.ts";
import { blockchainInUrl } from "../node-url.ts";

/** How long a node is not asked again that has not resolved an alias. The question may take five seconds, in which no block is read. */
const ALIAS_RETRY_MS = 600_000;

/**
 * Returns a function that finds the blockchain id of a chain, in CB58: that of its settings, or that in the URL of its node, whose alias
 * the node resolves. It returns null if neither names the blockchain, or if the node does not resolve the alias.
 */
export function createBlockchainIdLookup(
  { blockchainId, nodeUrl, nodeHeaders }: Pick<EvmChainConfig, "blockchainId" | "nodeUrl" | "nodeHeaders">,
  clock: Pick<Clock, "nowMs">,
): () => Promise<string | null> {
  const inUrl = blockchainInUrl(nodeUrl);
  let known = blockchainId ?? inUrl?.blockchainId ?? null;
  let nextMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (known !== null || inUrl === null || clock.nowMs() < nextMs) return known;
    nextMs = clock.nowMs() + ALIAS_RETRY_MS;
    const node = { url: inUrl.infoUrl, headers: nodeHeaders };
    const asking = askNode(node, "info.getBlockchainID", { alias: inUrl.name });
    known = await asking.then((result) => parseId(textAt(result, "blockchainID"))).catch(() => null);
    return known;
  };
}
