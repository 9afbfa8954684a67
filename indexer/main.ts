import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { openPool } from "../core/database/database.ts";
import { migrate } from "../core/database/migrate.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { checkConnections, indexerSessions } from "../core/embedded-postgres/database-sessions.ts";
import { createLogger, type Logger, printLine } from "../core/observability/logger.ts";
import { runUntilSignal, type Stack } from "../core/processes/process.ts";
import { startObservability } from "../core/processes/start.ts";
import { checkSettings } from "./check-settings.ts";
import { outdatedRows } from "./outdated-rows.ts";
import { processesOf, startIndexerProcesses } from "./process/indexer-processes.ts";
import { showProgress } from "./terminal.ts";

/**
 * Runs the indexer alone: writes the configured chains and networks into the database `DATABASE_URL`. If the settings ask for several
 * processes, this one only starts them.
 */
await runUntilSignal(async (stack) => {
  const config = loadConfig(process.env, process.argv.slice(2));
  if (!config.databaseUrl)
    throw new ConfigError("setting databaseUrl is missing: the indexer needs a database when it runs alone");
  const logger = createLogger(config.logLevel);
  stack.logEnd(logger);
  stack.use(await startObservability(config, "indexer", logger));
  await checkSettings(config, logger);
  const databaseUrl = await usableDatabase(config.databaseUrl);
  await migrate(databaseUrl, (line) => logger.info(line), stack.signal);
  if (config.evmChains.length + config.primaryNetworks.length === 0)
    throw new ConfigError(
      "no chain is configured: set evmChains or primaryNetworks; the demo runs only with npm start",
    );
  await reportOutdatedRows(databaseUrl, config, logger);
  const processes = processesOf(config);
  await checkConnections(databaseUrl, [indexerSessions(config, processes)], logger);
  if (processes === 1) await runHere(stack, config, databaseUrl, logger);
  else stack.use(startIndexerProcesses({ config, databaseUrl, logger, signal: stack.signal })).begin();
  const names = [
    ...config.evmChains.map(({ chainName }) => chainName),
    ...config.primaryNetworks.map(({ network, networkId }) => `the primary network ${network} (${networkId})`),
  ];
  const place = processes === 1 ? "" : ` in ${processes} processes`;
  printLine(`Indexing ${names.join(", ")}${place}`);
});

async function reportOutdatedRows(databaseUrl: string, config: Config, logger: Logger): Promise<void> {
  await using database = openPool(databaseUrl, 1, logger);
  for (const line of await outdatedRows(database.pool, config)) logger.warn(line);
}

async function runHere(stack: Stack, config: Config, databaseUrl: string, logger: Logger): Promise<void> {
  const { startIndexer } = await import("./indexer.ts");
  const indexer = stack.use(startIndexer(config, databaseUrl, logger));
  stack.use(showProgress(() => indexer.progress, process.stdout, logger));
}
