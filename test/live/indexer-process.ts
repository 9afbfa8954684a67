import { configSchema } from "../../core/config-schema.ts";
import { createLogger } from "../../core/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";

/**
 * The indexer as a process of its own, to be killed. Loads everything and then waits for its configuration, a line of JSON
 * on standard input, so that whoever kills one can have the next at hand.
 */
process.stdin.once("data", (line) => {
  const config = configSchema.parse(JSON.parse(line.toString()));
  startIndexer(config, config.databaseUrl ?? "", createLogger("silent"));
});

// Whoever started it may be gone without having killed it.
process.stdin.on("end", () => process.exit(1));
