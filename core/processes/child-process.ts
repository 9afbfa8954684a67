import { type ChildProcess, fork, type Serializable } from "node:child_process";
import { once } from "node:events";
import { runUntilSignal, type Stack } from "./process.ts";

/**
 * An option of Node.js: V8 collects garbage in the main thread only. By default, it also does so in four more threads, which take cores for which
 * requests may wait.
 */
export const ONE_THREAD_GC = "--single-threaded-gc";

/** The limit of the heap of this process, which `tools/build/heap-limit.mjs` chooses for the API. Other processes need other limits. */
const HEAP_LIMIT = /^--max-old-space-size=/;

/** A process that can be ended. */
export interface EndableProcess {
  /** Resolves with how the process has ended. */
  readonly ended: Promise<string>;
  /** Asks the process to end, and waits for that. */
  end(): Promise<void>;
}

/** A process that was started by `forkProcess`. */
export interface ForkedProcess extends EndableProcess {
  readonly child: ChildProcess;
  /** Sends a message. Does nothing if the process is gone already: `ended` says so. */
  send(message: Serializable): void;
}

export interface ForkOptions {
  /** A file that calls `runForked`. In a build it is the built one. */
  readonly script: string;
  /** Options of Node.js besides those of this process, of which the limit of the heap is not taken. */
  readonly nodeOptions?: readonly string[];
  /**
   * True if the process leads a session of its own on Linux, so that `lowerPriority` can lower the priority of the session. Signals of the terminal, such as
   * that of Ctrl-C, then do not reach the new process. Default: false.
   */
  readonly leadsSession?: boolean;
  /** Time that the process has to end after `end` is called. After this time it is killed. */
  readonly endTimeoutMs: number;
}

/** Starts a script in a process of its own. Send its input as a message: other users can read command lines. */
export function forkProcess({
  script,
  nodeOptions = [],
  leadsSession = false,
  endTimeoutMs,
}: ForkOptions): ForkedProcess {
  const child = fork(script, {
    execArgv: [...process.execArgv.filter((option) => !HEAP_LIMIT.test(option)), ...nodeOptions],
    detached: leadsSession && process.platform === "linux",
    serialization: "advanced", // the configuration contains bigints
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  return {
    child,
    ended,
    send: (message) => void child.send(message, () => {}),
    async end() {
      if (child.connected) child.disconnect();
      // While its program is still being loaded, the process does not notice that it is disconnected.
      endWithin(child, endTimeoutMs);
      await ended;
    },
  };
}

/** Asks a process to end, and kills it after this time. */
export function endWithin(child: ChildProcess, ms: number): void {
  child.kill();
  const timer = setTimeout(() => child.kill("SIGKILL"), ms);
  child.once("exit", () => clearTimeout(timer));
}

/** Waits for the end of a process and returns how it ended. Aborting the signal ends the process. */
export async function waitForEnd(child: EndableProcess, signal: AbortSignal): Promise<string> {
  const onAbort = () => void child.end();
  signal.addEventListener("abort", onAbort, { once: true });
  const reason = await child.ended;
  signal.removeEventListener("abort", onAbort);
  return reason;
}

/**
 * Runs a process that `forkProcess` has started: `start` gets the first message, and opens resources on the stack. The process
 * ends as in `runUntilSignal`, and also when the process that has forked it disconnects or is gone. If the end after a disconnect
 * takes longer than `endTimeoutMs`, the process exits with code 1.
 */
export function runForked<Input>(
  start: (input: Input, stack: Stack) => Promise<void>,
  endTimeoutMs: number,
): Promise<void> {
  return runUntilSignal(async (stack) => {
    const end = () => {
      process.kill(process.pid, "SIGTERM");
      // It also keeps the process from ending before it has received the signal.
      setTimeout(() => process.exit(1), endTimeoutMs);
    };
    if (process.connected) process.once("disconnect", end);
    else end();
    const [input] = (await once(process, "message", { signal: stack.signal })) as [Input];
    await start(input, stack);
  });
}
