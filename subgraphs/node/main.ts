import { ConfigError, loadConfig } from "../../core/config.ts";
import { openDatabase } from "../../core/database.ts";
import { createLogger } from "../../core/logger.ts";
import { migrate } from "../../core/migrate.ts";
import { runUntilSignal } from "../../core/process.ts";
import { startServer } from "../../core/server.ts";
import { createSubgraphServer } from "../server.ts";
import { createNodeSubgraph } from "./subgraph.ts";

/** The node subgraph alone: GraphQL on `/graphql` over the tables of `DATABASE_URL` and a network's node. */
await runUntilSignal(async (stack) => {
  const config = loadConfig(process.env, process.argv.slice(2));
  const { host, port, databaseUrl, databasePoolSize } = config;
  if (!databaseUrl) throw new ConfigError("setting databaseUrl is missing: a part that runs alone needs a database");
  const logger = createLogger(config.logLevel);
  await migrate(databaseUrl);
  const database = stack.use(openDatabase(databaseUrl, databasePoolSize, logger));
  const node = stack.use(await createNodeSubgraph({ config, database, logger }));
  const served = await createSubgraphServer(node, logger);
  const server = stack.use(await startServer({ host, port, handler: served.handler, upgrade: served.upgrade }));
  stack.use(served);
  node.startChecks();
  console.log(`The node subgraph answers on http://${host}:${server.port}/graphql`);
});
