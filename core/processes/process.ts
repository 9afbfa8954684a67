import { setTimeout as sleep } from "node:timers/promises";
import { isatty } from "node:tty";
import { ConfigError } from "../config/config.ts";
import { databaseRefusal } from "../database/database-refusal.ts";
import { messageOf } from "../errors/errors.ts";
import type { Logger } from "../observability/logger.ts";
import { watchParent } from "./parent-process.ts";

/** The signals that end a process, with their numbers. */
const END_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type EndSignal = keyof typeof END_SIGNALS;

/** File descriptors of standard input, output and error. */
const STANDARD_STREAMS = [0, 1, 2];

/** How long a process waits for the interrupted `start` function to finish before it closes the resources. */
const START_ABORT_TIMEOUT_MS = 10_000;

/** How long a process may take to close its resources, besides the time that the setting `shutdown` allows. */
const CLOSE_TIMEOUT_MS = 15_000;
/** The default of the setting `shutdown`. */
const DRAIN_MS = 10_000;

/** What a process opens. */
export type Resource = (AsyncDisposable | Disposable) & {
  /** Called when the process ends although the resource is not closed: closing took too long, or there is a bug. Must not wait. */
  abandon?(): void;
};

/** The resources that a process has opened; they are closed in reverse order when it ends. */
export interface Stack {
  /** Aborted when the process is asked to end. Long operations of the start should then stop. */
  readonly signal: AbortSignal;
  /** Registers a resource. Throws if the process has been asked to end; the resource is closed in that case too. */
  use<Opened extends Resource>(resource: Opened): Opened;
  /** Sets how long servers may take to answer their last requests. The process is ended 15 seconds later. Default: 10 seconds. */
  drainWithin(ms: number): void;
  /** Logs when the process is asked to end, and when it ends after that. Default: nothing is logged. */
  logEnd(logger: Logger): void;
  /** From now on, SIGHUP runs the task in place of ending the process, unless the process runs on a terminal. Calls run one after another. */
  onReload(task: () => Promise<void>): void;
}

/**
 * Runs a process: `start` opens resources on the stack. On SIGTERM, SIGINT or SIGHUP (see `onReload`) it closes them in reverse order and exits. The end
 * of the npm process that started this one counts as SIGHUP. The exit code is 128 + the number of the signal if the signal arrives
 * before the start is complete, else 0; it is 1 if closing takes too long. If `start` fails, closes the resources, prints the reason
 * and exits with code 1. The reason has one line for each error if the operator can act on it (wrong settings, an unusable database),
 * else a stack trace. Resources that are not closed when the process exits are abandoned.
 */
export async function runUntilSignal(start: (stack: Stack) => Promise<void>): Promise<void> {
  const end = new AbortController();
  let drainMs = DRAIN_MS;
  let log = (_line: string): void => {};
  let reload: (() => Promise<void>) | null = null;
  const endSignal = new Promise<EndSignal>((received) => {
    const onSignal = (signal: EndSignal) => {
      const isFirst = !end.signal.aborted;
      if (isFirst) exitAfter(drainMs + CLOSE_TIMEOUT_MS);
      end.abort(new Error(`interrupted by ${signal}`));
      received(signal);
      if (isFirst) log(`${signal} was received: the process stops`);
    };
    for (const signal of Object.keys(END_SIGNALS) as EndSignal[])
      process.on(signal, () => {
        if (signal === "SIGHUP" && reload && !end.signal.aborted) void reload();
        else onSignal(signal);
      });
    watchParent(() => onSignal("SIGHUP"));
  });
  // The terminal or npm may be gone: writing to it must not keep the resources from being closed.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {});
  const resources: Resource[] = [];
  process.once("exit", () => {
    for (const resource of resources) resource.abandon?.();
  });
  const stack: Stack = {
    signal: end.signal,
    use(resource) {
      resources.push(resource);
      end.signal.throwIfAborted();
      return resource;
    },
    drainWithin(ms) {
      drainMs = ms;
    },
    logEnd(logger) {
      log = (line) => logger.info(line);
    },
    onReload(task) {
      // The system sends SIGHUP when the terminal is closed.
      if (STANDARD_STREAMS.some((stream) => isatty(stream))) return;
      let last = Promise.resolve();
      reload = () => {
        last = last.then(task);
        return last;
      };
    },
  };
  const started = start(stack).then(() => "started" as const);
  const code = await Promise.race([started, endSignal]).then(
    async (first) => {
      if (first === "started") {
        await endSignal;
        return 0;
      }
      const settled = started.catch(() => null);
      await Promise.race([settled, sleep(START_ABORT_TIMEOUT_MS, null, { ref: false })]);
      return 128 + END_SIGNALS[first];
    },
    (error: unknown) => {
      console.error(failureText(error));
      return 1;
    },
  );
  for (const resource of resources.toReversed()) {
    await dispose(resource);
    resources.splice(resources.indexOf(resource), 1);
  }
  if (end.signal.aborted) log("the process ends");
  process.exit(code);
}

function exitAfter(ms: number): void {
  const exit = () => {
    console.error(`Moraine did not close its resources within ${ms / 1_000} s and is ended`);
    process.exit(1);
  };
  setTimeout(exit, ms).unref();
}

function failureText(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const stack = (error instanceof Error && error.stack) || messageOf(error);
  return databaseRefusal(error) ?? `Moraine could not start: ${stack}`;
}

/** Closes a resource. A failure is printed, so that the other resources are closed too. */
async function dispose(resource: Resource): Promise<void> {
  try {
    if (Symbol.asyncDispose in resource) await resource[Symbol.asyncDispose]();
    else resource[Symbol.dispose]();
  } catch (error) {
    console.error(`Moraine could not close a resource: ${messageOf(error)}`);
  }
}
