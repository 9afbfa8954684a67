import { createChains } from "../../core/chains.ts";
import type { Config } from "../../core/config-schema.ts";
import type { Database } from "../../core/database.ts";
import { createActivityStore } from "./activity/store.ts";
import { createIndexerStates } from "./chains/indexer-states.ts";
import { createLast24HoursStore } from "./last-24-hours/store.ts";
import { createStoredPageTokens } from "./page-tokens/page-tokens.ts";
import { createSearchStore } from "./search/store.ts";
import { createTotalsStore } from "./totals/store.ts";

export interface StoreDeps {
  readonly config: Pick<Config, "evmChains" | "primaryNetworks">;
  readonly database: Pick<Database, "pool">;
  /** Clock of page tokens. */
  readonly nowSeconds: () => number;
}

/** Creates all stores of the subgraph, which exist as long as the process. */
export function createStores({ config, database, nowSeconds }: StoreDeps) {
  return {
    configuredChains: createChains(config),
    indexerStates: createIndexerStates(database),
    activity: createActivityStore(database),
    last24Hours: createLast24HoursStore(database),
    totals: createTotalsStore(database),
    search: createSearchStore(database, config),
    pageTokens: createStoredPageTokens(database, nowSeconds),
  };
}

export type MetricsStores = ReturnType<typeof createStores>;
