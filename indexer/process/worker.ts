import { createLogger } from "../../core/observability/logger.ts";
import { runForked } from "../../core/processes/child-process.ts";
import { startForkedObservability } from "../../core/processes/start.ts";
import { startIndexer } from "../indexer.ts";
import { lowerPriority } from "../shared/priority.ts";
import { collectGarbageOfCatchingUp } from "./collect-garbage.ts";
import { reportProgress } from "./report-progress.ts";
import { END_TIMEOUT_MS, type WorkerInput } from "./worker-process.ts";

/** Runs an indexer for the process that has forked this one, until that process disconnects or is gone. */
await runForked<WorkerInput>(async ({ config, share, label, databaseUrl, niceness, logLevel, lastError }, stack) => {
  const logger = createLogger(logLevel);
  lowerPriority({ pid: process.pid, steps: niceness.process, name: "the indexer's process" }, logger);
  stack.use(await startForkedObservability(config, label, logger));
  const indexer = stack.use(
    startIndexer(config, databaseUrl, logger, { share, sessionNiceness: niceness.sessions, lastError }),
  );
  stack.use(reportProgress(indexer.progress));
  stack.use(collectGarbageOfCatchingUp(indexer.progress));
}, END_TIMEOUT_MS);
