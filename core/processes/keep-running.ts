import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "../errors/errors.ts";
import type { Logger } from "../observability/logger.ts";
import { counterOf } from "../observability/registry.ts";
import { createRestartPauses } from "./restart-pauses.ts";

export interface KeepRunningOptions {
  /** The process as log lines name it, such as `the signature service`. */
  readonly name: string;
  readonly logger: Logger;
  /** Ends the repetition. `runOnce` must end its process when it is aborted. */
  readonly end: AbortSignal;
}

/**
 * Keeps a process running: calls `runOnce`, which resolves with how the process has ended, again after each end and a pause.
 * Resolves when `end` is aborted and the last process has ended.
 */
export async function keepRunning(
  runOnce: () => Promise<string>,
  { name, logger, end }: KeepRunningOptions,
): Promise<void> {
  const pauses = createRestartPauses();
  const restarts = counterOf("processRestarts", { name });
  while (!end.aborted) {
    const startedAt = performance.now();
    const reason = await runOnce().catch(messageOf);
    if (end.aborted) return;
    const pauseMs = pauses.nextMs(performance.now() - startedAt);
    restarts.add();
    logger.warn({ reason }, `${name} has ended (${reason}); a new one starts in ${pauseMs / 1_000} s`);
    await sleep(pauseMs, null, { signal: end }).catch(() => {});
  }
}
