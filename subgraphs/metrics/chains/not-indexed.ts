import { Failure } from "../../../core/errors.ts";
import type { MetricsContext } from "../context.ts";

/**
 * Returns what was read of a chain. Null means that its activity is not indexed: no block after the genesis block is, or an
 * earlier version has indexed it and the replay has not begun. Fails with `UNAVAILABLE` and the indexer's reason.
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
  throw new Failure("UNAVAILABLE", `the activity of chain ${chainId} is not indexed yet${state}${reason}`);
}
