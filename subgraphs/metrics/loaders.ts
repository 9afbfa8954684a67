import DataLoader from "dataloader";
import { createBatch, fields } from "../shared/rows/batch.ts";
import type { PageStart } from "./page-tokens/page-tokens.ts";
import type { MetricsStores } from "./stores.ts";

/**
 * Creates the loaders of one request. The pages of all chains that are requested in one tick are one statement, and so are
 * the tokens of their next pages.
 */
export function createLoaders(stores: MetricsStores) {
  const { activity, last24Hours, totals, indexerStates, pageTokens } = stores;
  const newTokens = new DataLoader<PageStart, string, string>((pages) => pageTokens.issue(pages), {
    cacheKeyFn: JSON.stringify,
  });
  return {
    activity: createBatch(activity.pages, fields("chainId", "interval", "from", "until", "size", "isCumulative")),
    last24Hours: createBatch(last24Hours.byChain, fields("chainId")),
    totals: createBatch(totals.byChain, fields("chainId")),
    indexerState: createBatch(indexerStates.byChain, fields("chainId")),
    /** Makes the token of the page that begins after `cursor`. */
    newPageToken: (page: PageStart) => newTokens.load(page),
  };
}

export type Loaders = ReturnType<typeof createLoaders>;
