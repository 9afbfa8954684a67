import { ConfigError, loadConfig } from "../core/config/config.ts";
import { untilMigrated } from "../core/database/migrate.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { drainMs } from "../core/http/server.ts";
import { createLogger } from "../core/observability/logger.ts";
import { runUntilSignal } from "../core/processes/process.ts";
import { startObservability } from "../core/processes/start.ts";
import { startService } from "./service/service.ts";

/** Runs the signature service in a process of its own. Signatures subgraphs reach it by their setting `signatures.serviceUrl`. */
await runUntilSignal(async (stack) => {
  const config = loadConfig(process.env, process.argv.slice(2));
  stack.drainWithin(drainMs(config.shutdown));
  const { host, port, shutdown } = config;
  if (!config.databaseUrl)
    throw new ConfigError("setting databaseUrl is missing: the signature service needs a database when it runs alone");
  const logger = createLogger(config.logLevel);
  stack.logEnd(logger);
  stack.use(await startObservability(config, "signatures", logger));
  const databaseUrl = await usableDatabase(config.databaseUrl);
  await untilMigrated(databaseUrl, stack.signal, (line) => logger.info(line));
  const service = stack.use(await startService({ config, databaseUrl, host, port, shutdown, logger }));
  console.log(`The signature service answers on http://${host}:${service.port}`);
});
