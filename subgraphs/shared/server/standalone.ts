import { ConfigError, loadConfig } from "../../../core/config/config.ts";
import type { Config } from "../../../core/config/config-schema.ts";
import { untilAllMigrated, withUsableDatabases } from "../../../core/database/cells.ts";
import { requireServers } from "../../../core/database/check-replicas.ts";
import type { Databases } from "../../../core/database/database.ts";
import { openDatabase } from "../../../core/database/open-database.ts";
import { placementOf } from "../../../core/database/placement.ts";
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
    const configured = loadConfig(process.env, process.argv.slice(2));
    stack.drainWithin(drainMs(configured.shutdown));
    const { host, port, databasePoolSize } = configured;
    if (!configured.databaseUrl)
      throw new ConfigError("setting databaseUrl is missing: a subgraph in a process of its own needs a database");
    const logger = createLogger(configured.logLevel);
    stack.logEnd(logger);
    stack.use(await startObservability(configured, `${name} subgraph`, logger));
    const databaseUrl = await usableDatabase(configured.databaseUrl);
    const config = await withUsableDatabases(configured);
    const placement = placementOf(config, databaseUrl);
    await untilAllMigrated(placement, stack.signal, (line) => logger.info(line));
    const readUrls = config.databaseReadUrls;
    await requireServers(placement, readUrls);
    const database = stack.use(openDatabase(databaseUrl, databasePoolSize, logger, { placement, readUrls }));
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
