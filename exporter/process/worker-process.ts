import { fork } from "node:child_process";
import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Config } from "../../core/config-schema.ts";
import type { ExporterTimings } from "../timings.ts";

/** What a worker process needs. It is sent to the process, since command lines can be read by others. */
export interface WorkerInput {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logLevel: string;
  readonly timings: ExporterTimings;
}

/** A process that runs export jobs. */
export interface WorkerProcess {
  readonly pid: number | undefined;
  /** Resolves with how the process has ended. */
  readonly ended: Promise<string>;
  /** Asks the process to give its jobs back and to end, and waits for that. */
  end(): Promise<void>;
}

/** A process that takes longer to end is killed. Before it ends, jobs have `ExporterTimings.stopGraceMs` to store their last part. */
export const END_TIMEOUT_MS = 6_000;

/** Lower priority than the API. */
const NICENESS = 10;
/**
 * Limits of the heap in MB. Without them, it grows by 200 MB before it is collected; with them, by 50 MB, at the same speed.
 * A job holds about 10 MB at a time.
 */
const SEMI_SPACE = 4;
const OLD_SPACE = 112;
const OLD_SPACE_PER_JOB = 24;
/**
 * V8 collects garbage about 150 times a second in such a small heap, by default in five threads. They would take every core for
 * a moment, and requests of the API would wait. In one thread, exports are also faster (41,700 rows a second instead of 35,700
 * on two cores).
 */
const ONE_THREAD_GC = "--single-threaded-gc";
const SCRIPT = fileURLToPath(new URL("worker.ts", import.meta.url));

/** `script` is the one to run; tests also run its source. */
export function forkWorker(input: WorkerInput, script = SCRIPT): WorkerProcess {
  const child = fork(script, {
    execArgv: nodeOptions(script, input.config.exports.concurrency),
    serialization: "advanced", // the configuration contains bigints
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  // Before it creates threads: they inherit the priority.
  if (child.pid !== undefined) setPriority(child.pid, NICENESS);
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  // If the process is gone already, `ended` says so.
  child.send(input, () => {});
  return {
    pid: child.pid,
    ended,
    async end() {
      if (child.connected) child.disconnect();
      const timer = setTimeout(() => child.kill("SIGKILL"), END_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/** The options of this process, the loader of TypeScript if only the script needs it, and the limits. */
function nodeOptions(script: string, jobs: number): string[] {
  const own = process.execArgv;
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const loader = own.includes("tsx") || !script.endsWith(".ts") ? [] : ["--import", tsx];
  const oldSpace = OLD_SPACE + jobs * OLD_SPACE_PER_JOB;
  return [...own, ...loader, ONE_THREAD_GC, `--max-semi-space-size=${SEMI_SPACE}`, `--max-old-space-size=${oldSpace}`];
}
