import { ConfigError, loadConfig } from "../core/config/config.ts";
import { untilAllMigrated, withUsableDatabases } from "../core/database/cells.ts";
import { openPool } from "../core/database/database.ts";
import { placementOf } from "../core/database/placement.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { drainMs, publicServer, startServer } from "../core/http/server.ts";
import { serverUrl } from "../core/http/server-url.ts";
import { createLogger } from "../core/observability/logger.ts";
import { runUntilSignal } from "../core/processes/process.ts";
import { startObservability } from "../core/processes/start.ts";
import { createDownloads } from "./downloads/downloads.ts";
import { startExporter } from "./exporter.ts";

/** Runs export jobs in a process of its own, and serves their files if they are in its directory. */
await runUntilSignal(async (stack) => {
  const configured = loadConfig(process.env, process.argv.slice(2));
  stack.drainWithin(drainMs(configured.shutdown));
  const { host, port, databasePoolSize } = configured;
  if (!configured.databaseUrl)
    throw new ConfigError("setting databaseUrl is missing: the exporter needs a database when it runs alone");
  const logger = createLogger(configured.logLevel);
  stack.logEnd(logger);
  stack.use(await startObservability(configured, "exporter", logger));
  const databaseUrl = await usableDatabase(configured.databaseUrl);
  const config = await withUsableDatabases(configured);
  await untilAllMigrated(placementOf(config, databaseUrl), stack.signal, (line) => logger.info(line));
  if (!config.exports.s3) {
    const { pool } = stack.use(openPool(databaseUrl, databasePoolSize, logger));
    const { handle } = createDownloads({ config, pool, logger });
    const { signal } = stack;
    const server = stack.use(await startServer({ ...publicServer(config), port, handler: handle, signal }));
    console.log(`Exported files are served on ${serverUrl(host, server.port)}`);
  }
  stack.use(startExporter({ config, databaseUrl, logger }));
  console.log(`The exporter runs up to ${config.exports.concurrency} jobs at the same time`);
});
