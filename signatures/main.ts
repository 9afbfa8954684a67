import { ConfigError, loadConfig } from "../core/config/config.ts";
import { untilAllMigrated, withUsableDatabases } from "../core/database/cells.ts";
import { placementOf } from "../core/database/placement.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { drainMs } from "../core/http/server.ts";
import { createLogger } from "../core/observability/logger.ts";
import { runUntilSignal } from "../core/processes/process.ts";
import { startObservability } from "../core/processes/start.ts";
import { startService } from "./service/service.ts";

/** Runs the signature service in a process of its own. Signatures subgraphs reach it by their setting `signatures.serviceUrl`. */
await runUntilSignal(async (stack) => {
  const configured = loadConfig(process.env, process.argv.slice(2));
  stack.drainWithin(drainMs(configured.shutdown));
  const { host, port, shutdown } = configured;
  if (!configured.databaseUrl)
    throw new ConfigError("setting databaseUrl is missing: the signature service needs a database when it runs alone");
  const logger = createLogger(configured.logLevel);
  stack.logEnd(logger);
  stack.use(await startObservability(configured, "signatures", logger));
  const databaseUrl = await usableDatabase(configured.databaseUrl);
  const config = await withUsableDatabases(configured);
  await untilAllMigrated(placementOf(config, databaseUrl), stack.signal, (line) => logger.info(line));
  const service = stack.use(await startService({ config, databaseUrl, host, port, shutdown, logger }));
  console.log(`The signature service answers on http://${host}:${service.port}`);
});
