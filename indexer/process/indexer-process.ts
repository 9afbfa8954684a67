import { placementOf } from "../../core/database/placement.ts";
import type { Logger } from "../../core/observability/logger.ts";
import { waitForEnd } from "../../core/processes/child-process.ts";
import { keepRunning } from "../../core/processes/keep-running.ts";
import type { NamedProgress } from "../terminal.ts";
import { storeEnd } from "./store-end.ts";
import { forkWorker, type WorkerInput, type WorkerProcess } from "./worker-process.ts";

export interface IndexerProcessOptions {
  readonly input: Omit<WorkerInput, "lastError">;
  /** Options of Node.js besides those of this process. */
  readonly nodeOptions: readonly string[];
  /** The process as log lines name it. */
  readonly name: string;
  readonly logger: Logger;
  /** Ends the process when it is aborted, before the indexer is disposed. */
  readonly end: AbortSignal;
}

/** An indexer in a process of its own. Disposing it ends the process. */
export interface IndexerProcess extends AsyncDisposable {
  /** Starts the indexing. Until then, the process only loads its program. */
  begin(): void;
  /** The progress of the chains that the process writes; empty if other processes write them. Null while it starts. */
  progress(): readonly NamedProgress[] | null;
}

/**
 * Runs an indexer in a process of its own. After an unexpected end and a pause, a new process starts, which continues after the last
 * block that was written.
 */
export function startIndexerProcess({
  input,
  nodeOptions,
  name,
  logger,
  end: ending,
}: IndexerProcessOptions): IndexerProcess {
  const stop = new AbortController();
  const end = AbortSignal.any([stop.signal, ending]);
  let hasBegun = false;
  let worker: WorkerProcess | null = null;
  let progress: readonly NamedProgress[] | null = null;
  let lastError: string | null = null;
  const runOnce = async (): Promise<string> => {
    worker = forkWorker({ nodeOptions, leadsSession: input.niceness.process > 0 }, (current) => {
      progress = current;
    });
    if (hasBegun) worker.begin({ ...input, lastError });
    const reason = await waitForEnd(worker, end);
    const written = progress ?? [];
    worker = null;
    progress = null;
    if (end.aborted) return reason;
    lastError = `the indexer's process has ended (${reason}) and restarts`;
    await storeEnd(placementOf(input.config, input.databaseUrl), written, { reason: lastError, logger });
    return reason;
  };
  const running = keepRunning(runOnce, { name, logger, end });
  return {
    begin() {
      hasBegun = true;
      worker?.begin({ ...input, lastError });
    },
    progress: () => progress,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
