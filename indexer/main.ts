import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { migrateAll, withUsableDatabases } from "../core/database/cells.ts";
import { placementOf } from "../core/database/placement.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { checkServers, indexerSessions } from "../core/embedded-postgres/database-sessions.ts";
import { createLogger, type Logger, printLine } from "../core/observability/logger.ts";
import { runUntilSignal, type Stack } from "../core/processes/process.ts";
import { startObservability } from "../core/processes/start.ts";
import { checkSettings } from "./check-settings.ts";
import { outdatedRowsOf } from "./outdated-rows.ts";
import { processesOf, startIndexerProcesses } from "./process/indexer-processes.ts";
import { showProgress } from "./terminal.ts";

/**
 * Runs the indexer alone: writes the configured chains and networks into the database `DATABASE_URL`. If the settings ask for several
 * processes, this one only starts them.
 */
await runUntilSignal(async (stack) => {
  const configured = loadConfig(process.env, process.argv.slice(2));
  if (!configured.databaseUrl)
    throw new ConfigError("setting databaseUrl is missing: the indexer needs a database when it runs alone");
  const logger = createLogger(configured.logLevel);
  stack.logEnd(logger);
  stack.use(await startObservability(configured, "indexer", logger));
  await checkSettings(configured, logger);
  const databaseUrl = await usableDatabase(configured.databaseUrl);
  const config = await withUsableDatabases(configured);
  const placement = placementOf(config, databaseUrl);
  await migrateAll(placement, (line) => logger.info(line), { signal: stack.signal, directory: null });
  if (config.evmChains.length + config.primaryNetworks.length === 0)
    throw new ConfigError(
      "no chain is configured: set evmChains or primaryNetworks; the demo runs only with npm start",
    );
  for (const line of await outdatedRowsOf(config, placement, logger)) logger.warn(line);
  const processes = processesOf(config);
  await checkServers(config, placement, (ofDatabase) => [indexerSessions(ofDatabase, processes)], logger);
  if (processes === 1) await runHere(stack, config, databaseUrl, logger);
  else stack.use(startIndexerProcesses({ config, databaseUrl, logger, signal: stack.signal })).begin();
  const names = [
    ...config.evmChains.map(({ chainName }) => chainName),
    ...config.primaryNetworks.map(({ network, networkId }) => `the primary network ${network} (${networkId})`),
  ];
  const place = processes === 1 ? "" : ` in ${processes} processes`;
  printLine(`Indexing ${names.join(", ")}${place}`);
});

async function runHere(stack: Stack, config: Config, databaseUrl: string, logger: Logger): Promise<void> {
  const { startIndexer } = await import("./indexer.ts");
  const indexer = stack.use(startIndexer(config, databaseUrl, logger));
  stack.use(showProgress(() => indexer.progress, process.stdout, logger));
}
