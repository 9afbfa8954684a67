import { fileURLToPath } from "node:url";
import { type EndableProcess, forkProcess } from "../../core/child-process.ts";
import type { Config } from "../../core/config-schema.ts";
import { includeMetricsOf } from "../../core/observability/forked-metrics.ts";
import type { ChainState } from "../shared/progress.ts";

/** What the indexing process needs. It is sent to the process, because other users can read command lines. */
export interface WorkerInput {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logLevel: string;
}

/** The indexing process sends this whenever the states of the chains that it writes have changed. */
export interface States {
  readonly states: readonly ChainState[];
}

/** A process that runs the indexer. */
export interface WorkerProcess extends EndableProcess {
  readonly pid: number | undefined;
  /** Starts the indexing. Until then, the process only loads its program. */
  begin(input: WorkerInput): void;
}

/** A process that takes longer to end is killed, as if it had crashed: no transaction is lost in part. */
export const END_TIMEOUT_MS = 10_000;

/** A young generation of at most 24 MB (by default 48 MB) saves about 20 MB of memory after the chains have caught up. */
const OPTIONS = ["--max-semi-space-size=8"];
const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));

/** Starts the process. `onStates` is called with the states of the chains that it writes. */
export function forkWorker(onStates: (states: readonly ChainState[]) => void): WorkerProcess {
  const { child, ended, send, end } = forkProcess({
    script: SCRIPT,
    nodeOptions: OPTIONS,
    endTimeoutMs: END_TIMEOUT_MS,
  });
  child.on("message", (message) => {
    if (isStates(message)) onStates(message.states);
  });
  return {
    pid: child.pid,
    ended,
    begin(input) {
      send(input);
      // Only the second message may be a request for metrics.
      includeMetricsOf(child);
    },
    end,
  };
}

function isStates(message: unknown): message is States {
  return typeof message === "object" && message !== null && "states" in message;
}
