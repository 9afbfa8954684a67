import { ConfigError, loadConfig } from "../../../core/config.ts";
import type { Config } from "../../../core/config-schema.ts";
import type { Database } from "../../../core/database.ts";
import { createLogger, type Logger } from "../../../core/logger.ts";
import { untilMigrated } from "../../../core/migrate.ts";
import { startObservability } from "../../../core/observability/start.ts";
import { openDatabase } from "../../../core/open-database.ts";
import { usableDatabase } from "../../../core/postgres/usable-database.ts";
import { runUntilSignal, type Stack } from "../../../core/process.ts";
import { drainMs, privateServer, startServer } from "../../../core/server.ts";
import { createSubgraphServer, type ServedSubgraph } from "./server.ts";

interface SubgraphDeps {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly database: Database;
  readonly logger: Logger;
}

/**
 * Runs a process that serves one subgraph: GraphQL on `/graphql` over the tables of `DATABASE_URL`. Waits until the indexer has applied the
 * migrations.
 */
export function runStandalone(
  name: string,
  create: (deps: SubgraphDeps, stack: Stack) => Promise<ServedSubgraph>,
): Promise<void> {
  return runUntilSignal(async (stack) => {
    const config = loadConfig(process.env, process.argv.slice(2));
    stack.drainWithin(drainMs(config.shutdown));
    const { host, port, databasePoolSize } = config;
    if (!config.databaseUrl)
      throw new ConfigError("setting databaseUrl is missing: a subgraph in a process of its own needs a database");
    const logger = createLogger(config.logLevel);
    stack.logEnd(logger);
    stack.use(await startObservability(config, `${name} subgraph`, logger));
    const databaseUrl = await usableDatabase(config.databaseUrl);
    await untilMigrated(databaseUrl, stack.signal, (line) => logger.info(line));
    const database = stack.use(openDatabase(databaseUrl, databasePoolSize, logger));
    const served = await createSubgraphServer(await create({ config, databaseUrl, database, logger }, stack), logger);
    const { handler, upgrade, endSubscriptions: onDrain } = served;
    const options = { ...privateServer(config), port, handler, upgrade, onDrain };
    const server = stack.use(await startServer(options));
    stack.use(served);
    console.log(`The ${name} subgraph answers on http://${host}:${server.port}/graphql`);
  });
}
