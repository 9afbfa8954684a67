import { createLogger } from "../../core/observability/logger.ts";
import { runForked } from "../../core/processes/child-process.ts";
import { startForkedObservability } from "../../core/processes/start.ts";
import { startExporter } from "../exporter.ts";
import { END_TIMEOUT_MS, type WorkerInput } from "./worker-process.ts";

/** Runs export jobs for the process that has forked this one, until that process disconnects or is gone. */
await runForked<WorkerInput>(async ({ config, databaseUrl, logLevel, timings }, stack) => {
  const logger = createLogger(logLevel);
  stack.use(await startForkedObservability(config, "exporter", logger));
  stack.use(startExporter({ config, databaseUrl, logger, timings }));
}, END_TIMEOUT_MS);
