import { createFairQueue } from "./fair-queue.ts";

/** Ends the time that an operation counts as running. Must be called once. */
export type Release = () => void;

export interface GateLimits {
  /** Operations that run at the same time. */
  readonly concurrent: number;
  /** Operations that wait at the same time. */
  readonly waiting: number;
  /** Longest time that an operation waits, in milliseconds. */
  readonly waitMs: number;
}

/** What happened to an operation that wanted to run. */
export type Entrance =
  | { readonly kind: "running"; readonly release: Release }
  | { readonly kind: "refused"; readonly retryMs: number }
  /** The caller waits no more. */
  | { readonly kind: "left" };

/** Lets a limited number of operations run at the same time, and a limited number of others wait for their turn. */
export interface Gate {
  readonly running: number;
  readonly waiting: number;
  /** Returns `Release` if the operation may run now. Otherwise the caller has to call `wait`. */
  tryEnter(): Release | null;
  /**
   * Waits for the turn of the caller. Refuses the operation at once if too many wait already, or if it would probably wait too
   * long; and later if it has waited too long.
   */
  wait(caller: string, left: AbortSignal | undefined): Promise<Entrance>;
}

/** The part of the waiting operations that a single caller may have. */
const CALLER_SHARE = 0.5;
/** Weight of the latest operation in the average time of operations. */
const AVERAGE_WEIGHT = 0.1;

export function createGate({ concurrent, waiting: maxWaiting, waitMs }: GateLimits, nowMs: () => number): Gate {
  const queue = createFairQueue<() => void>();
  const maxOfCaller = Math.max(1, Math.floor(maxWaiting * CALLER_SHARE));
  let running = 0;
  let averageMs = 0;

  const start = (): Release => {
    running++;
    const startedAt = nowMs();
    return () => {
      averageMs += (nowMs() - startedAt - averageMs) * AVERAGE_WEIGHT;
      running--;
      if (running < concurrent) queue.take()?.();
    };
  };
  /** Time until an operation that starts to wait now will probably run. */
  const expectedMs = (): number => ((queue.size + 1) * averageMs) / concurrent;

  return {
    get running() {
      return running;
    },
    get waiting() {
      return queue.size;
    },
    tryEnter: () => (running < concurrent ? start() : null),
    wait(caller, left) {
      const retryMs = expectedMs();
      if (queue.size >= maxWaiting || queue.sizeOf(caller) >= maxOfCaller || retryMs > waitMs)
        return Promise.resolve({ kind: "refused", retryMs });
      return new Promise((resolve) => {
        const end = (entrance: Entrance) => {
          clearTimeout(timer);
          left?.removeEventListener("abort", onLeft);
          resolve(entrance);
        };
        const onTurn = () => end({ kind: "running", release: start() });
        const onLeft = () => {
          if (queue.remove(caller, onTurn)) end({ kind: "left" });
        };
        const onTimeout = () => {
          if (queue.remove(caller, onTurn)) end({ kind: "refused", retryMs: expectedMs() });
        };
        const timer = setTimeout(onTimeout, waitMs).unref();
        left?.addEventListener("abort", onLeft, { once: true });
        queue.add(caller, onTurn);
        if (left?.aborted) onLeft();
      });
    },
  };
}
