import { ConfigError, loadConfig } from "../../../core/config/config.ts";
import type { Config } from "../../../core/config/config-schema.ts";
import type { Databases } from "../../../core/database/database.ts";
import { untilMigrated } from "../../../core/database/migrate.ts";
import { openDatabase } from "../../../core/database/open-database.ts";
import { usableDatabase } from "../../../core/database/postgres/usable-database.ts";
import { drainMs, privateServer, startServer } from "../../../core/http/server.ts";
import { createLogger, type Logger } from "../../../core/observability/logger.ts";
import { runUntilSignal, type Stack } from "../../../core/processes/process.ts";
import { startObservability } from "../../../core/processes/start.ts";
import { createSubgraphServer, type ServedSubgraph } from "./server.ts";

interface SubgraphDeps {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly database: Databases;
  readonly logger: Logger;
}

interface StandaloneSubgraph extends ServedSubgraph, Partial<AsyncDisposable> {
  /** Starts periodic work. */
  start?(): void;
}

/**
 * Runs a process that serves one subgraph: GraphQL on `/graphql` over the tables of `DATABASE_URL`. Waits until the indexer has applied the
 * migrations.
 */
export function runStandalone(
  name: string,
  create: (deps: SubgraphDeps, stack: Stack) => StandaloneSubgraph | Promise<StandaloneSubgraph>,
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
    const subgraph = await create({ config, databaseUrl, database, logger }, stack);
    stack.use({ [Symbol.asyncDispose]: async () => subgraph[Symbol.asyncDispose]?.() });
    subgraph.start?.();
    const served = await createSubgraphServer(subgraph, logger);
    const { handler, upgrade, endSubscriptions: onDrain } = served;
    const options = { ...privateServer(config), port, handler, upgrade, onDrain };
    const server = stack.use(await startServer(options));
    stack.use(served);
    console.log(`The ${name} subgraph answers on http://${host}:${server.port}/graphql`);
  });
}
