import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import type { NodeSettings } from "../../../core/config/settings/nodes.ts";
import { parseId } from "../../../core/formats/cb58.ts";
import { nodesOf } from "../../../core/networks/nodes.ts";
import type { Clock } from "../../shared/clock.ts";
import { askNode } from "../../shared/node/ask-node.ts";
import { textAt } from "../../shared/settings-findings.ts";
import { blockchainInUrl } from "../node-url.ts";

/** How long a node is not asked again that has not resolved an alias. The question may take five seconds, in which no block is read. */
const ALIAS_RETRY_MS = 600_000;

/**
 * Returns a function that finds the blockchain id of a chain, in CB58: that of its settings, or that in the URL of a node, whose alias the
 * node resolves. It returns null if none of them names the blockchain, or if no node resolves the alias.
 */
export function createBlockchainIdLookup(
  chain: Pick<EvmChainConfig, "blockchainId"> & NodeSettings,
  clock: Pick<Clock, "nowMs">,
): () => Promise<string | null> {
  const inUrls = nodesOf(chain).flatMap(({ url, headers }) => {
    const inUrl = blockchainInUrl(url);
    return inUrl ? [{ ...inUrl, headers }] : [];
  });
  const named = inUrls.find(({ blockchainId }) => blockchainId !== null);
  let known = chain.blockchainId ?? named?.blockchainId ?? null;
  let nextMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (known !== null || clock.nowMs() < nextMs) return known;
    nextMs = clock.nowMs() + ALIAS_RETRY_MS;
    for (const { infoUrl, headers, name } of inUrls) {
      const asking = askNode({ url: infoUrl, headers }, "info.getBlockchainID", { alias: name });
      known = await asking.then((result) => parseId(textAt(result, "blockchainID"))).catch(() => null);
      if (known !== null) break;
    }
    return known;
  };
}
