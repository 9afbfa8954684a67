import type { Config } from "../../core/config/config-schema.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { ChainState } from "../shared/progress.ts";
import { sharesOf } from "../shares.ts";
import { type NamedProgress, showProgress } from "../terminal.ts";
import { startIndexerProcess } from "./indexer-process.ts";
import type { Niceness } from "./niceness.ts";
import { nodeOptions } from "./node-options.ts";
import { defaultProcesses, thisMachine } from "./process-count.ts";

export interface IndexerProcessesOptions {
  readonly config: Config;
  /** URL of the primary PostgreSQL server. A connection pooler in front of it must keep sessions. */
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Default: the priority of this process. */
  readonly niceness?: Niceness;
  /** Ends the processes when it is aborted, before the indexer is disposed. */
  readonly signal?: AbortSignal;
}

/** An indexer in one or more processes of its own. Disposing it ends them. */
export interface IndexerProcesses extends AsyncDisposable {
  /** Starts the indexing. Until then, the processes only load their program. */
  begin(): void;
  /** States of the chains that the processes write; empty if other processes write them. Null while one of them starts. */
  states(): readonly ChainState[] | null;
}

/** Number of processes that index the chains and networks of the settings; at least 1. */
export function processesOf(config: Config): number {
  const targets = config.evmChains.length + config.primaryNetworks.length;
  return Math.max(1, Math.min(targets, config.indexing.processes ?? defaultProcesses(thisMachine())));
}

/**
 * Runs the indexer in processes of its own, so that the event loop of this one is free for requests while chains catch up, and several
 * chains catch up on several cores. Each process has a share of the chains and networks. If one ends unexpectedly, the others go
 * on, and a new one starts. This process shows the progress of all. Starts no process if the settings name neither a chain nor a
 * network.
 */
export function startIndexerProcesses({
  config,
  databaseUrl,
  logger,
  niceness = { process: 0, sessions: 0 },
  signal,
}: IndexerProcessesOptions): IndexerProcesses {
  const stop = new AbortController();
  const end = AbortSignal.any([stop.signal, ...(signal ? [signal] : [])]);
  const shares = sharesOf(config, processesOf(config));
  const options = nodeOptions(thisMachine().cores, shares.length);
  const processes = shares.map((share, i) => {
    const isOnly = shares.length === 1;
    const label = isOnly ? "indexer" : `indexer-${i + 1}`;
    const name = isOnly ? "the indexer's process" : `process ${i + 1} of ${shares.length} of the indexer`;
    const input = { config, share, label, databaseUrl, niceness, logLevel: logger.level };
    return startIndexerProcess({ input, nodeOptions: options, name, logger, end });
  });
  const known = (): NamedProgress[] => processes.flatMap((one) => one.progress() ?? []);
  const shown = shares.length > 0 ? showProgress(known, process.stdout, logger) : null;
  return {
    begin() {
      for (const one of processes) one.begin();
    },
    states: () =>
      processes.some((one) => one.progress() === null) ? null : known().map(({ current }) => current.state),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await Promise.all(processes.map((one) => one[Symbol.asyncDispose]()));
      shown?.[Symbol.dispose]();
    },
  };
}
