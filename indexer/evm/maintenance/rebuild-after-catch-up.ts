import type pg from "pg";
import type { Logger } from "../../../core/observability/logger.ts";
import { rebuildIndexes } from "./rebuild-indexes.ts";

export interface RebuildSettings {
  readonly chainId: string;
  /** Least number of blocks; 0: never. */
  readonly rebuildIndexesAfterBlocks: number;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

const BATCHED = "SELECT batched_blocks, block_number FROM chain_heads WHERE chain_id = $1";

/** Blocks that are written meanwhile still count. */
const REBUILT = "UPDATE chain_heads SET batched_blocks = greatest(0, batched_blocks - $2) WHERE chain_id = $1";

/** A part of the chain below which rebuilding all of its indexes is not worth the time. */
const LEAST_PART = 10;

/**
 * Rebuilds the indexes of a chain once after many blocks were written in batches, which leave the pages of indexes a third empty. If it is
 * interrupted, it is still due, and the next run begins again with the first index.
 */
export async function rebuildAfterCatchUp(
  client: Pick<pg.Client, "query">,
  { chainId, rebuildIndexesAfterBlocks: least, logger, signal }: RebuildSettings,
): Promise<void> {
  if (least === 0) return;
  const { rows } = await client.query<{ batched_blocks: string; block_number: string }>(BATCHED, [chainId]);
  const batched = Number(rows[0]?.batched_blocks ?? 0);
  if (batched < least || batched * LEAST_PART < Number(rows[0]?.block_number)) return;
  logger.info({ chainId }, `chain ${chainId}: the indexes are rebuilt in the background, after ${batched} new blocks`);
  const line = await rebuildIndexes(client, chainId, { signal, report: () => {} });
  await client.query(REBUILT, [chainId, batched]);
  logger.info({ chainId }, line);
}
