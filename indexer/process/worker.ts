import { runForked } from "../../core/child-process.ts";
import { createLogger } from "../../core/logger.ts";
import { startForkedObservability } from "../../core/observability/start.ts";
import { startIndexer } from "../indexer.ts";
import { reportProgress } from "./report-progress.ts";
import { END_TIMEOUT_MS, type WorkerInput } from "./worker-process.ts";

/** Runs an indexer for the process that has forked this one, until that process disconnects or is gone. */
await runForked<WorkerInput>(async ({ config, share, label, databaseUrl, logLevel }, stack) => {
  const logger = createLogger(logLevel);
  stack.use(await startForkedObservability(config, label, logger));
  const indexer = stack.use(startIndexer(config, databaseUrl, logger, share));
  stack.use(reportProgress(indexer.progress));
}, END_TIMEOUT_MS);
