import { notIndexed } from "../../shared/not-indexed.ts";
import type { MetricsContext } from "../context.ts";

/** Sentence for the descriptions of fields; see `is-indexed.ts`. */
export const UNINDEXED = "Null, with the error `UNAVAILABLE`, until the first block after the genesis is indexed.";

/**
 * Returns `found`, which was read of a chain. If it is null, the chain is not indexed (see `is-indexed.ts`): throws `UNAVAILABLE`
 * with the state of the chain's indexer and its reason. The message says that `subject` is not indexed.
 */
export async function requireIndexed<Found>(
  chainId: string,
  found: Found | null,
  { load }: MetricsContext,
  subject = `the activity of chain ${chainId}`,
): Promise<Found> {
  if (found !== null) return found;
  const indexer = await load.indexerState({ chainId });
  throw notIndexed(subject, indexer ?? { state: null, reason: null });
}
