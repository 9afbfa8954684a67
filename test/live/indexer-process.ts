import { configSchema } from "../../core/config/config-schema.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";

/**
 * The indexer in a process that tests kill. Loads all modules and then waits for its configuration, a line of JSON
 * on standard input, so that a test that kills one process can use the next at once.
 */
process.stdin.once("data", (line) => {
  const config = configSchema.parse(JSON.parse(line.toString()));
  startIndexer(config, config.databaseUrl ?? "", createLogger("silent"));
});

// The parent may have ended without killing this process.
process.stdin.on("end", () => process.exit(1));
