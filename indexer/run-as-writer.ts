import type { Config } from "../core/config/config-schema.ts";
import type { Logger } from "../core/observability/logger.ts";
import { createOutageLog } from "../core/observability/outage-log.ts";
import { type Clock, SYSTEM_CLOCK } from "./shared/clock.ts";
import { restartReason } from "./shared/restart-reason.ts";
import type { Writer } from "./shared/writer.ts";
import type { WriterSessions } from "./shared/writer-sessions.ts";

/** Pause before the first restart; it doubles with each further one, up to the longest pause. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 10_000;
/** An outage has ended when a run has worked for so long: before, another of its parts may fail for the same cause, such as a full disk. */
const STEADY_MS = 10_000;

interface WriterDeps {
  readonly config: Pick<Config, "indexing">;
  /** Of the database of the chain or network. */
  readonly writers: Pick<WriterSessions, "tryBecomeWriter">;
  readonly logger: Logger;
  /** Why an earlier process with the same chains has ended; null if there was none. */
  readonly lastError: string | null;
  readonly stop: AbortSignal;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/** The repeated runs of the indexing of a chain or network. */
interface Restarts {
  /** Why the last run failed, for callers of the API; null if it did not. */
  readonly lastError: string | null;
  /** To be called when a run has read or written blocks. */
  worked(): void;
  /** True from a failure until a run has worked for ten seconds. */
  isFailing(): boolean;
}

/** A run of the indexing of a chain or network. */
export interface WriterRun {
  readonly writer: Writer;
  readonly restarts: Restarts;
}

/**
 * Runs `write` whenever no other process is the writer, until the indexer stops. Runs it again, after growing pauses, if it fails. Logs the
 * first failure of an outage, and its end.
 */
export async function runAsWriter(
  { config, writers, logger, stop, lastError: earlierError, clock = SYSTEM_CLOCK }: WriterDeps,
  name: string,
  named: object,
  write: (run: WriterRun) => Promise<void>,
): Promise<void> {
  const pause = (ms: number) => clock.sleep(ms, stop).catch(() => {});
  const outage = createOutageLog({ logger, subject: "the indexing", level: "error", ids: named });
  let isStandby = false;
  let failures = 0;
  let lastError = earlierError;
  let failed = new AbortController();
  let isWorking = false;
  const worked = () => {
    lastError = null;
    if (failures === 0 || isWorking) return;
    isWorking = true;
    const end = () => {
      outage.succeeded();
      failures = 0;
    };
    clock.sleep(STEADY_MS, AbortSignal.any([stop, failed.signal])).then(end, () => {});
  };
  const stopped = () => {
    failed.abort();
    failed = new AbortController();
    isWorking = false;
  };
  const isFailing = () => failures > 0;
  while (!stop.aborted) {
    try {
      const writer = await writers.tryBecomeWriter(name);
      if (!writer && !isStandby) logger.info(named, "another process writes this chain or network; this process waits");
      isStandby = !writer;
      if (writer) {
        // It has stopped to work before its lock is released, which may take a while.
        const run = write({ writer, restarts: { lastError, worked, isFailing } }).finally(stopped);
        await run.finally(() => endWriter(writer));
      } else {
        worked();
        await pause(config.indexing.standbyPollMs);
      }
    } catch (error) {
      if (stop.aborted) return;
      stopped();
      lastError = restartReason(error);
      outage.failedBy(error);
      await pause(Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** failures++));
    }
  }
}

/** Releases the writer's lock. Ignores a failure: the session may be lost already. */
async function endWriter(writer: Writer): Promise<void> {
  await Promise.resolve(writer[Symbol.asyncDispose]()).catch(() => {});
}
