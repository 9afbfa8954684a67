import type { Config } from "../../core/config/config-schema.ts";
import type { Databases } from "../../core/database/database.ts";
import type { FileLinks } from "../../core/exports/files/links.ts";
import type { PageTokens } from "../../core/graph/page.ts";
import { createChains } from "../../core/networks/chains.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { createNetworks } from "./chains/networks.ts";
import { createJobs } from "./jobs/jobs.ts";
import { createOperationStore } from "./operations/store.ts";
import { createRequestParser } from "./requests/parse-request.ts";
import { createHub } from "./watching/hub.ts";
import { createWatching } from "./watching/watching.ts";

export interface StoreDeps {
  readonly config: Pick<Config, "evmChains" | "primaryNetworks" | "exports">;
  readonly database: Databases;
  readonly logger: Logger;
  readonly nowSeconds: () => number;
  readonly pageTokens: PageTokens;
  readonly links: FileLinks;
}

/** Creates what all requests share. Disposing `watching` ends the subscriptions. */
export function createStores({ config, database, logger, nowSeconds, pageTokens, links }: StoreDeps) {
  const configuredChains = createChains(config);
  const networks = createNetworks(database.primary, config);
  const operations = createOperationStore(database, pageTokens);
  const hub = createHub({ pool: database.pool, operations, logger, nowSeconds });
  return {
    configuredChains,
    networks,
    links,
    operations,
    requests: createRequestParser(configuredChains, networks),
    jobs: createJobs({ pool: database.pool, operations, limits: config.exports, nowSeconds, logger }),
    watching: createWatching(hub),
  };
}

export type OperationsStores = ReturnType<typeof createStores>;
