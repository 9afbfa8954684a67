import { Failure } from "../../../core/errors.ts";
import type { MetricsContext } from "../context.ts";

/**
 * Returns what was read of a chain. Null means that no block after the genesis block is indexed: fails with `UNAVAILABLE` and
 * the reason.
 */
export async function requireIndexed<Found>(
  chainId: string,
  found: Found | null,
  { load }: MetricsContext,
): Promise<Found> {
  if (found !== null) return found;
  const indexer = await load.indexerState({ chainId });
  const state = indexer ? ` (${indexer.state})` : "";
  const reason = indexer?.reason ? `: ${indexer.reason}` : "";
  throw new Failure("UNAVAILABLE", `chain ${chainId} has no indexed block after its genesis yet${state}${reason}`);
}
