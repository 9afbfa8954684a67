import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { storeCapability } from "../store/capabilities.ts";
import { indexedBlock } from "../store/head.ts";
import type { Chain } from "./chain.ts";

/** Checks that the node serves the configured and indexed chain, before any block is read. Throws `BadUpstreamData`. */
export async function identifyNode(chain: Chain): Promise<void> {
  const { source, chainId, head, writer } = chain;
  const served = await source.chainId();
  if (String(served) !== chainId)
    throw new BadUpstreamData(
      `the node serves chain ${served}, not ${chainId}: set nodeUrl of the chain to a node of chain ${chainId}`,
    );
  await source.identify();
  await storeTracing(chain);
  if (head.blockNumber < 0) return;
  const genesis = await writer.transaction((session) => indexedBlock(session, chainId, 0));
  const nodeGenesis = await source.blockRef(0);
  if (genesis && nodeGenesis && genesis.hash !== nodeGenesis.hash)
    throw new BadUpstreamData(
      `the node's genesis is 0x${nodeGenesis.hash}, but the indexed genesis is 0x${genesis.hash}: set nodeUrl of the chain to a node of the indexed chain, or use another database`,
    );
}

/** Stores for the API whether call trees are available. Logs each new reason why some or all blocks lack them. */
export async function storeTracing(chain: Chain): Promise<void> {
  const { source, writer, chainId, logger, storedTracing } = chain;
  const { tracing } = source;
  if (storedTracing?.isOn === tracing.isOn && storedTracing.reason === tracing.reason) return;
  await writer.transaction((session) => storeCapability(session, chainId, "traces", tracing));
  chain.storedTracing = tracing;
  if (tracing.reason) logger.warn({ chainId, reason: tracing.reason }, "call trees are missing for some or all blocks");
}
