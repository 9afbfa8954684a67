import { ConfigError, loadConfig } from "../core/config.ts";
import { createLogger } from "../core/logger.ts";
import { migrate } from "../core/migrate.ts";
import { startObservability } from "../core/observability/start.ts";
import { runUntilSignal } from "../core/process.ts";
import { checkSettings } from "./check-settings.ts";
import { startIndexer } from "./indexer.ts";
import { showProgress } from "./terminal.ts";

/** Runs the indexer alone: writes the configured chains and networks into the database `DATABASE_URL`. */
await runUntilSignal(async (stack) => {
  const config = loadConfig(process.env);
  if (!config.databaseUrl)
    throw new ConfigError("setting databaseUrl is missing: the indexer needs a database when it runs alone");
  const logger = createLogger(config.logLevel);
  stack.use(await startObservability(config, "indexer", logger));
  await checkSettings(config, logger);
  await migrate(config.databaseUrl);
  const indexer = stack.use(startIndexer(config, config.databaseUrl, logger));
  stack.use(showProgress(indexer.progress, process.stdout, logger));
  const names = [
    ...config.evmChains.map(({ chainName }) => chainName),
    ...config.primaryNetworks.map(({ network, networkId }) => `the primary network ${network} (${networkId})`),
  ];
  console.log(`Indexing ${names.join(", ") || "nothing: no chain is configured"}`);
});
