import { BadUpstreamData } from "../../core/errors/errors.ts";
import { type Clock, SYSTEM_CLOCK } from "../shared/clock.ts";
import { NodeUnavailable } from "../shared/node/errors.ts";
import type { ProgressState } from "../shared/progress.ts";
import { createLagPatience } from "./lag-patience.ts";

/** First pause after a failure; the poll interval if that is shorter. */
const FIRST_BACKOFF_MS = 250;
const MAX_BACKOFF_MS = 10_000;

/** A task that `followNode` repeats, such as indexing one chain of a node. */
export interface FollowedTask {
  /**
   * Position of the task. If it differs from the position at the last failure, the task has made progress and the backoff is
   * reset.
   */
  position(): unknown;
  /** Checks that the node serves the right chain. Runs before the first step and after every failure; throws like `step`. */
  identify?(): Promise<void>;
  /**
   * Catches up with the node. False if the next step must follow at once. Throws `NodeUnavailable` to make the task wait,
   * `BadUpstreamData` to stop it; both are retried.
   */
  step(): Promise<boolean>;
  /** True if wrong data are no passing difference between nodes, so that they stop the task at once. Default: false. */
  isFinal?(error: BadUpstreamData): boolean;
  /** Publishes why the task waits or has stopped. `detail` is only logged. */
  report(state: Pick<ProgressState, "state" | "reason" | "detail">): Promise<void> | void;
}

export interface FollowOptions {
  /** Mean pause after each step, which varies by a tenth. */
  readonly pauseMs: number;
  readonly signal: AbortSignal;
  /** Default: the system's. */
  readonly clock?: Clock;
}

/**
 * Runs steps until `signal` aborts, then resolves. Pauses after each step, and longer after each further failure. Rejects with any
 * error other than `NodeUnavailable` and `BadUpstreamData`.
 */
export async function followNode(task: FollowedTask, options: FollowOptions): Promise<void> {
  const { pauseMs, signal, clock = SYSTEM_CLOCK } = options;
  const sleep = (ms: number) => clock.sleep(ms, signal);
  const patience = createLagPatience();
  let isIdentified = false;
  let failures = 0;
  let lastPosition = task.position();
  let failedAt = lastPosition;

  async function fail(error: unknown): Promise<void> {
    if (!(error instanceof NodeUnavailable || error instanceof BadUpstreamData)) throw error;
    const position = task.position();
    if (position !== lastPosition) patience.worked();
    lastPosition = position;
    if (patience.covers(error)) return sleep(pauseMs);
    isIdentified = false;
    failures = position === failedAt ? failures + 1 : 1;
    failedAt = position;
    const isBad = error instanceof BadUpstreamData;
    // A reorganisation between two answers, or two nodes behind one address, look like wrong data, so wrong data must be seen twice.
    if (isBad && failures === 1 && !task.isFinal?.(error)) return;
    await task.report({ state: isBad ? "STOPPED" : "WAITING", reason: error.message, detail: error.detail });
    const firstMs = Math.min(FIRST_BACKOFF_MS, pauseMs);
    const backoffMs = Math.min(MAX_BACKOFF_MS, firstMs * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
    await sleep(isBad ? backoffMs : Math.max(backoffMs, error.retryAfterMs));
  }

  async function run(): Promise<void> {
    if (!isIdentified) await task.identify?.();
    isIdentified = true;
    const isAtHead = await task.step();
    failures = 0;
    patience.worked();
    // Otherwise, hundreds of chains that start together would ask their nodes at the same time, again and again.
    if (isAtHead) await sleep(pauseMs * (0.9 + Math.random() / 5));
  }

  while (!signal.aborted) {
    try {
      await run().catch(fail);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
}
