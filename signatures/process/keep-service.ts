import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../../core/errors.ts";
import type { Logger } from "../../core/logger.ts";
import type { ServiceProcess } from "./service-process.ts";
import { type After, afterTime, watchService } from "./watch-service.ts";

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 60_000;
/** How long a request waits for the service. A start takes about a second, and several if the machine is busy. */
const START_PATIENCE_MS = 10_000;
const START_POLL_MS = 50;

/** Disposing it ends the process. */
export interface KeptService extends AsyncDisposable {
  /** Base URL of the service; null while it does not run. */
  url(): string | null;
  /** The same, but waits some seconds for the service if it is being started, unless the signal is aborted. */
  urlSoon(signal?: AbortSignal): Promise<string | null>;
}

/**
 * Keeps one service process running. After an unexpected end, a new one starts: after half a second, and after twice the time for
 * each further process that lasts less than a minute. A process that hangs is killed.
 */
export function keepService(forkOne: () => ServiceProcess, logger: Logger, after: After = afterTime): KeptService {
  const end = new AbortController();
  let url: string | null = null;
  const runOnce = async (): Promise<string> => {
    const service = forkOne();
    const onEnd = () => void service.end();
    end.signal.addEventListener("abort", onEnd, { once: true });
    let hasEnded = false;
    void service.listening.then((port) => {
      if (hasEnded) return;
      url = `http://127.0.0.1:${port}`;
      logger.debug({ pid: service.pid }, `the signature service answers on ${url}`);
    });
    using watch = watchService(service, after);
    const reason = await service.ended;
    hasEnded = true;
    url = null;
    end.signal.removeEventListener("abort", onEnd);
    return watch.reason() ?? reason;
  };
  const run = async () => {
    let pauseMs = FIRST_PAUSE_MS;
    while (!end.signal.aborted) {
      const startedAt = performance.now();
      const reason = await runOnce().catch(messageOf);
      if (end.signal.aborted) return;
      if (performance.now() - startedAt > MAX_PAUSE_MS) pauseMs = FIRST_PAUSE_MS;
      const seconds = pauseMs / 1_000;
      logger.warn({ reason }, `the signature service has ended (${reason}); a new one starts in ${seconds} s`);
      await sleep(pauseMs, null, { signal: end.signal }).catch(() => {});
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  };
  const running = run();
  return {
    url: () => url,
    async urlSoon(signal) {
      const untilMs = performance.now() + START_PATIENCE_MS;
      const isOver = () => end.signal.aborted || signal?.aborted || performance.now() > untilMs;
      while (url === null && !isOver()) await sleep(START_POLL_MS);
      return url;
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await running;
    },
  };
}
