import { setImmediate as scheduleImmediate } from "node:timers";
import { setImmediate } from "node:timers/promises";

/** How long CPU-bound work may run before it yields: the same process may be serving requests. */
const MAX_BLOCKING_MS = 10;
/** Shared by all callers of `mapYielding`. */
const isIterationUsedUp = createIterationClock();

/**
 * Maps items one after the other and yields to the event loop every `maxBlockingMs`, by default every few milliseconds. Rejects with
 * the first failure.
 */
export async function mapYielding<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Promise<Result> | Result,
  maxBlockingMs: number = MAX_BLOCKING_MS,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    // Other callers may have used up the iteration that was waited for.
    while (isIterationUsedUp(maxBlockingMs)) await setImmediate();
    results.push(await map(item, index));
  }
  return results;
}

/** Returns a function that is true if it was called for the first time in this iteration of the event loop more than some time ago. */
function createIterationClock(): (maxBlockingMs: number) => boolean {
  let startedAt: number | null = null;
  return (maxBlockingMs) => {
    if (startedAt !== null) return performance.now() - startedAt > maxBlockingMs;
    startedAt = performance.now();
    scheduleImmediate(() => {
      startedAt = null;
    });
    return false;
  };
}

/** Calls that are made later, in their order, one in each iteration of the event loop. */
export interface Immediates {
  add(call: () => void): void;
  /** Makes the calls that wait, as many as an iteration of the event loop has time for. Resolves when no call waits. */
  callAll(): Promise<void>;
}

export function createImmediates(): Immediates {
  const waiting: (() => void)[] = [];
  const next = () => {
    const call = waiting.shift();
    if (waiting.length > 0) scheduleImmediate(next);
    call?.();
  };
  return {
    add(call) {
      waiting.push(call);
      if (waiting.length === 1) scheduleImmediate(next);
    },
    async callAll() {
      while (waiting.length > 0) {
        if (isIterationUsedUp(MAX_BLOCKING_MS)) await setImmediate();
        else waiting.shift()?.();
      }
    },
  };
}

/** Short calls of which thousands may come together. Those that would hold the event loop for too long are made in later iterations. */
export interface PacedCalls {
  /** False if a call may be made at once. True if others wait, or if calls have used up this iteration of the event loop. */
  isBusy(): boolean;
  /** Makes a call in a later iteration, after those that wait. */
  add(call: () => void): void;
}

/** Most calls in an iteration of the event loop. */
const MAX_PACED_CALLS = 500;

/**
 * `maxBlockingMs` is the time for the calls of an iteration, by default a few milliseconds. Calls of other kinds have times of their own, so
 * none can keep the others from being made.
 */
export function createPacedCalls(maxBlockingMs: number = MAX_BLOCKING_MS): PacedCalls {
  /** The next call is the last one. */
  let next: (() => void)[] = [];
  let added: (() => void)[] = [];
  const isUsedUp = createIterationClock();
  const size = () => next.length + added.length;
  const callNext = () => {
    if (size() === 0 || isUsedUp(maxBlockingMs)) return;
    if (next.length === 0) {
      next = added.reverse();
      added = [];
    }
    next.pop()?.();
  };
  const callAll = () => {
    if (size() === 0) return;
    // Each in an immediate of its own: before the next one, Node.js runs what a call causes, which counts towards the time.
    for (let calls = Math.min(size(), MAX_PACED_CALLS); calls > 0; calls--) scheduleImmediate(callNext);
    scheduleImmediate(callAll);
  };
  return {
    isBusy: () => size() > 0 || isUsedUp(maxBlockingMs),
    add(call) {
      added.push(call);
      if (size() === 1) scheduleImmediate(callAll);
    },
  };
}
