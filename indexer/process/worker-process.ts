import { fileURLToPath } from "node:url";
import type { Config } from "../../core/config/config-schema.ts";
import { includeMetricsOf } from "../../core/observability/forked-metrics.ts";
import { type EndableProcess, forkProcess } from "../../core/processes/child-process.ts";
import type { Share } from "../shares.ts";
import type { NamedProgress } from "../terminal.ts";
import type { Niceness } from "./niceness.ts";

/** What an indexing process needs. It is sent to the process, because other users can read command lines. */
export interface WorkerInput {
  readonly config: Config;
  readonly share: Share;
  /** Name of the process in metrics and traces. */
  readonly label: string;
  readonly databaseUrl: string;
  readonly niceness: Niceness;
  readonly logLevel: string;
  /** Why an earlier process with the same share has ended; null if there was none. */
  readonly lastError: string | null;
}

/** An indexing process sends this whenever the progress of the chains that it writes has changed. */
export interface ReportedProgress {
  readonly progress: readonly NamedProgress[];
}

/** A process that runs an indexer. */
export interface WorkerProcess extends EndableProcess {
  readonly pid: number | undefined;
  /** Starts the indexing. Until then, the process only loads its program. */
  begin(input: WorkerInput): void;
}

/** A process that takes longer to end is killed, as if it had crashed: no transaction is lost in part. */
export const END_TIMEOUT_MS = 10_000;

const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));

export interface WorkerOptions {
  /** Options of Node.js. */
  readonly nodeOptions: readonly string[];
  /** True if its priority will be lowered. */
  readonly leadsSession: boolean;
}

/** Starts the process. `onProgress` is called with the progress of the chains that it writes. */
export function forkWorker(
  options: WorkerOptions,
  onProgress: (progress: readonly NamedProgress[]) => void,
): WorkerProcess {
  const { child, ended, send, end } = forkProcess({ ...options, script: SCRIPT, endTimeoutMs: END_TIMEOUT_MS });
  child.on("message", (message) => {
    if (isProgress(message)) onProgress(message.progress);
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

function isProgress(message: unknown): message is ReportedProgress {
  return typeof message === "object" && message !== null && "progress" in message;
}
