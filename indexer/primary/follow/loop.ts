import { setTimeout as sleep } from "node:timers/promises";
import { BadUpstreamData } from "../../../core/errors/errors.ts";
import { NodeUnavailable } from "../../shared/node/errors.ts";
import { createLagPatience } from "../../shared/node/lagging-node.ts";
import type { ChainState } from "../../shared/progress.ts";
import { storeInOrder } from "../../shared/refused-value.ts";

/** First pause after a failure; the poll interval if that is shorter. */
const FIRST_BACKOFF_MS = 250;
const LAST_BACKOFF_MS = 10_000;

/** A task that `keepFollowing` repeats, such as indexing one chain of a node. */
export interface FollowedTask {
  /**
   * Position of the task. If it differs from the position at the last failure, the task has made progress and the backoff is
   * reset.
   */
  position(): unknown;
  /** Checks that the node serves the right chain. Runs before the first step and after every failure; throws like `step`. */
  identify(): Promise<void>;
  /**
   * Catches up with the node. Throws `NodeUnavailable` to make the task wait, `BadUpstreamData` to stop it; both are retried.
   */
  step(): Promise<void>;
  /** Publishes why the task waits or has stopped. `detail` is only logged. */
  report(state: ChainState, reason: string, detail: string | null): void;
}

/**
 * Runs steps until `signal` aborts, then resolves. Pauses after each step, and longer after each further failure. Rejects with any
 * error other than `NodeUnavailable` and `BadUpstreamData`.
 */
export async function keepFollowing(task: FollowedTask, pauseMs: number, signal: AbortSignal): Promise<void> {
  const patience = createLagPatience();
  let isIdentified = false;
  let failures = 0;
  let failedAt = task.position();
  while (!signal.aborted) {
    try {
      if (!isIdentified) await task.identify();
      isIdentified = true;
      await task.step();
      failures = 0;
      patience.worked();
      await sleep(pauseMs, undefined, { signal });
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof NodeUnavailable || error instanceof BadUpstreamData)) throw error;
      if (patience.covers(error)) {
        await sleep(pauseMs, undefined, { signal }).catch(() => {});
        continue;
      }
      isIdentified = false;
      failures = task.position() === failedAt ? failures + 1 : 1;
      failedAt = task.position();
      await reportAndBackOff(task, error, { failures, pauseMs, signal }).catch(() => {});
    }
  }
}

async function reportAndBackOff(
  task: FollowedTask,
  error: NodeUnavailable | BadUpstreamData,
  { failures, pauseMs, signal }: { readonly failures: number; readonly pauseMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const isBad = error instanceof BadUpstreamData;
  // Nodes behind a load balancer may differ for a moment, so wrong data must be seen twice before the chain stops.
  if (isBad && failures === 1) return;
  task.report(isBad ? "STOPPED" : "WAITING", error.message, error.detail);
  const backoffMs =
    Math.min(LAST_BACKOFF_MS, Math.min(FIRST_BACKOFF_MS, pauseMs) * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
  await sleep(isBad ? backoffMs : Math.max(backoffMs, error.retryAfterMs), undefined, { signal });
}

/** Tables of the raw block store. If PostgreSQL refuses a row of them, this is a bug of Moraine. */
const RAW_TABLES = /^primary_journal/;

/**
 * Writes data from a node, in order. If an item is bad, the items before it are written. Rejects with `BadUpstreamData`, which names the
 * bad item.
 */
export function storing<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  write: (items: readonly Item[]) => Promise<void>,
): Promise<void> {
  return storeInOrder(items, { write, nameOf, rawTables: RAW_TABLES });
}

/** The time that writing one batch should take. */
const TARGET_BATCH_MS = 500;

/** Size of the next batch, given how long it took to write the last one of `size`. */
export function nextSize(size: number, tookMs: number, max: number): number {
  const factor = Math.min(2, Math.max(0.5, TARGET_BATCH_MS / Math.max(1, tookMs)));
  return Math.min(max, Math.max(1, Math.round(size * factor)));
}
