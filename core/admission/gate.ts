import type { Work } from "../work/work.ts";
import { createFairQueue, type FairQueue } from "./fair-queue.ts";

/** Ends the time that an operation counts as running. Must be called once. */
export type Release = () => void;

export interface GateLimits {
  /** Operations that run at the same time. */
  readonly concurrent: number;
  /** Operations that wait at the same time. Callers without a waiting operation may exceed it, up to twice this number. */
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

/**
 * Lets a limited number of operations (or documents, or events) run at the same time, and a limited number of others wait for their turn. A single caller has at
 * most all places but one, and half of the queue, so that slow operations of one caller cannot keep all others out.
 */
export interface Gate {
  readonly running: number;
  readonly waiting: number;
  /** Returns `Release` if the operation may run now. Otherwise the caller has to call `wait`. */
  tryEnter(caller: string): Release | null;
  /**
   * The time, in milliseconds, after which it makes sense to try again, if an operation of the caller would now be refused at once:
   * because too many wait already, or because it would probably wait too long. Else null.
   */
  refusal(caller: string): number | null;
  /**
   * Waits for the turn of the caller. Refuses the operation at once if `refusal` says so, and later if it has waited too long. The
   * caller has left when `work` is cancelled.
   */
  wait(caller: string, work: Work | undefined): Promise<Entrance>;
}

/** The part of the waiting operations that a single caller may have. */
const QUEUE_SHARE = 0.5;
/** Callers without a waiting operation may make the queue this many times as long. */
const RESERVE = 2;
/** Weight of the latest operation in the average time of operations. */
const AVERAGE_WEIGHT = 0.1;

export function createGate({ concurrent, waiting: maxWaiting, waitMs }: GateLimits, nowMs: () => number): Gate {
  const queue = createFairQueue<() => void>();
  const maxWaitingOfCaller = Math.max(1, Math.floor(maxWaiting * QUEUE_SHARE));
  const running = createRunning(concurrent);
  let averageMs = 0;

  const start = (caller: string): Release => {
    running.add(caller);
    const startedAt = nowMs();
    return () => {
      averageMs += (nowMs() - startedAt - averageMs) * AVERAGE_WEIGHT;
      running.remove(caller);
      if (queue.size > 0) queue.take(running.mayEnter)?.();
    };
  };
  /** Time until an operation that starts to wait now will probably run. */
  const expectedMs = (caller: string): number => {
    const own = queue.sizeOf(caller);
    // Until it is the caller's turn, each other caller has as many turns as the caller has entries, and one more.
    const before = Math.min(queue.size, own + queue.callers * (own + 1));
    const ownBefore = running.of(caller) + own + 1 - running.maxOfCaller;
    return averageMs * Math.max((before + 1) / concurrent, ownBefore / running.maxOfCaller);
  };
  /** A caller without a waiting operation finds a place even if others have filled the queue. */
  const isFull = (caller: string): boolean => {
    const own = queue.sizeOf(caller);
    const places = own === 0 ? maxWaiting * RESERVE : maxWaiting;
    return queue.size >= places || own >= maxWaitingOfCaller;
  };
  const refusal = (caller: string): number | null => {
    if (running.mayEnter(caller)) return null;
    const retryMs = expectedMs(caller);
    return isFull(caller) || retryMs > waitMs ? retryMs : null;
  };
  return {
    get running() {
      return running.size();
    },
    get waiting() {
      return queue.size;
    },
    tryEnter: (caller) => (running.mayEnter(caller) ? start(caller) : null),
    refusal,
    async wait(caller, work) {
      const retryMs = refusal(caller);
      if (retryMs !== null) return { kind: "refused", retryMs };
      const end = await waitInQueue(queue, { caller, work, waitMs, start: () => start(caller) });
      return end === "timeout" ? { kind: "refused", retryMs: expectedMs(caller) } : end;
    },
  };
}

/** The operations that run, by caller. */
interface Running {
  /** Number of operations that one caller may run. */
  readonly maxOfCaller: number;
  size(): number;
  of(caller: string): number;
  mayEnter(caller: string): boolean;
  add(caller: string): void;
  remove(caller: string): void;
}

function createRunning(max: number): Running {
  const maxOfCaller = Math.max(1, max - 1);
  const byCaller = new Map<string, number>();
  let size = 0;
  const of = (caller: string): number => byCaller.get(caller) ?? 0;
  return {
    maxOfCaller,
    size: () => size,
    of,
    // Usually few operations run, and it does not matter whose they are.
    mayEnter: (caller) => size < maxOfCaller || (size < max && of(caller) < maxOfCaller),
    add(caller) {
      size++;
      byCaller.set(caller, of(caller) + 1);
    },
    remove(caller) {
      size--;
      const left = of(caller) - 1;
      if (left === 0) byCaller.delete(caller);
      else byCaller.set(caller, left);
    },
  };
}

interface Waiter {
  readonly caller: string;
  readonly work: Work | undefined;
  readonly waitMs: number;
  /** Called when it is the turn of the caller. */
  start(): Release;
}

/** Waits for the turn of a caller, for at most `waitMs`, and until the work is cancelled. */
function waitInQueue(
  queue: FairQueue<() => void>,
  { caller, work, waitMs, start }: Waiter,
): Promise<Entrance | "timeout"> {
  return new Promise((resolve) => {
    const end = (entrance: Entrance | "timeout") => {
      clearTimeout(timer);
      work?.onCancel.delete(onLeft);
      resolve(entrance);
    };
    const onTurn = () => end({ kind: "running", release: start() });
    const onLeft = () => {
      if (queue.remove(caller, onTurn)) end({ kind: "left" });
    };
    const onTimeout = () => {
      if (queue.remove(caller, onTurn)) end("timeout");
    };
    const timer = waitMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(onTimeout, waitMs).unref();
    work?.onCancel.add(onLeft);
    queue.add(caller, onTurn);
    if (work?.reason) onLeft();
  });
}
