import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../core/observability/logger.ts";
import { waitForEnd } from "../../core/processes/child-process.ts";
import { keepRunning } from "../../core/processes/keep-running.ts";
import { type Clock, SYSTEM_CLOCK } from "../clock.ts";
import type { ServiceProcess } from "./service-process.ts";
import { watchService } from "./watch-service.ts";

/** How long a request waits for the service. A start takes about half a second, and several if the machine is busy. */
const START_PATIENCE_MS = 10_000;
const START_POLL_MS = 50;

/** Disposing it ends the process. */
export interface KeptService extends AsyncDisposable {
  /** Base URL of the service; null while it does not run. */
  url(): string | null;
  /** The same, but starts a service that was not needed so far, and waits up to 10 seconds for it, unless the signal is aborted. */
  urlSoon(signal?: AbortSignal): Promise<string | null>;
}

/**
 * Starts a service process when `urlSoon` is called for the first time, and keeps one running from then on. After an unexpected end
 * and a pause, a new one starts. A process that hangs is killed.
 */
export function keepService(
  forkOne: () => ServiceProcess,
  logger: Logger,
  after: Clock["after"] = SYSTEM_CLOCK.after,
): KeptService {
  const end = new AbortController();
  let url: string | null = null;
  const runOnce = async (): Promise<string> => {
    const service = forkOne();
    let hasEnded = false;
    void service.listening.then((port) => {
      if (hasEnded) return;
      url = `http://127.0.0.1:${port}`;
      logger.debug({ pid: service.pid }, `the signature service answers on ${url}`);
    });
    using watch = watchService(service, after);
    const reason = await waitForEnd(service, end.signal);
    hasEnded = true;
    url = null;
    return watch.reason() ?? reason;
  };
  let running: Promise<void> | null = null;
  return {
    url: () => url,
    async urlSoon(signal) {
      const untilMs = performance.now() + START_PATIENCE_MS;
      const isOver = () => end.signal.aborted || signal?.aborted || performance.now() > untilMs;
      if (!isOver()) running ??= keepRunning(runOnce, { name: "the signature service", logger, end: end.signal });
      while (url === null && !isOver()) await sleep(START_POLL_MS);
      return url;
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
    },
  };
}
