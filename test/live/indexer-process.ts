import { configSchema } from "../../core/config-schema.ts";
import { createLogger } from "../../core/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";

/**
 * A separate process for the indexer, which a test kills. It loads all modules, then waits for its configuration, a line of
 * JSON on standard input. So a test can prepare the next process before it kills one.
 */
process.stdin.once("data", (line) => {
  const config = configSchema.parse(JSON.parse(line.toString()));
  startIndexer(config, config.databaseUrl ?? "", createLogger("silent"));
});

// The process that started it may end without killing it.
process.stdin.on("end", () => process.exit(1));
