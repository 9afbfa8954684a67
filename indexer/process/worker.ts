import { runForked } from "../../core/child-process.ts";
import { createLogger } from "../../core/logger.ts";
import { startForkedObservability } from "../../core/observability/start.ts";
import { startIndexer } from "../indexer.ts";
import { showProgress } from "../terminal.ts";
import { reportStates } from "./report-states.ts";
import { END_TIMEOUT_MS, type WorkerInput } from "./worker-process.ts";

/** Runs the indexer for the process that has forked this one, until that process disconnects or is gone. */
await runForked<WorkerInput>(async ({ config, databaseUrl, logLevel }, stack) => {
  const logger = createLogger(logLevel);
  stack.use(await startForkedObservability(config, "indexer", logger));
  const indexer = stack.use(startIndexer(config, databaseUrl, logger));
  stack.use(showProgress(indexer.progress, process.stdout, logger));
  stack.use(reportStates(indexer.progress));
}, END_TIMEOUT_MS);
