import { waitForEnd } from "../../core/child-process.ts";
import type { Config } from "../../core/config-schema.ts";
import { keepRunning } from "../../core/keep-running.ts";
import type { Logger } from "../../core/logger.ts";
import type { ChainState } from "../shared/progress.ts";
import { forkWorker, type WorkerProcess } from "./worker-process.ts";

export interface IndexerProcessOptions {
  readonly config: Config;
  /** URL of the primary PostgreSQL server. A connection pooler in front of it must keep sessions. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Ends the process when it is aborted, before the indexer is disposed. */
  readonly signal?: AbortSignal;
}

/** An indexer in a process of its own. Disposing it ends the process. */
export interface IndexerProcess extends AsyncDisposable {
  /** Starts the indexing. Until then, the process only loads its program. */
  begin(): void;
  /** States of the chains that the process writes; empty if other processes write them. Null while it starts. */
  states(): readonly ChainState[] | null;
}

const NOTHING: IndexerProcess = {
  begin() {},
  states: () => [],
  async [Symbol.asyncDispose]() {},
};

/**
 * Runs the indexer in a process of its own, so that the event loop of this one is free for requests while chains catch up. After an
 * unexpected end and a pause, a new process starts, which continues after the last block that was written. Starts no process if the
 * settings name neither a chain nor a network.
 */
export function startIndexerProcess({ config, databaseUrl, logger, signal }: IndexerProcessOptions): IndexerProcess {
  if (config.evmChains.length + config.primaryNetworks.length === 0) return NOTHING;
  const stop = new AbortController();
  const end = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  const input = { config, databaseUrl, logLevel: logger.level };
  let hasBegun = false;
  let worker: WorkerProcess | null = null;
  let states: readonly ChainState[] | null = null;
  const runOnce = async (): Promise<string> => {
    worker = forkWorker((current) => {
      states = current;
    });
    if (hasBegun) worker.begin(input);
    const reason = await waitForEnd(worker, end);
    worker = null;
    states = null;
    return reason;
  };
  const running = keepRunning(runOnce, { name: "the indexer's process", logger, end });
  return {
    begin() {
      hasBegun = true;
      worker?.begin(input);
    },
    states: () => states,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}
