import { observeQueue } from "../../observability/queues.ts";
import type { Work } from "../../work/work.ts";
import { createFairQueue } from "./fair-queue.ts";
import type { Overloaded } from "./overloaded.ts";

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

export interface GateOptions extends GateLimits {
  /** Name of the queue in metrics. */
  readonly name: string;
  /** A clock in milliseconds that only advances. */
  nowMs(): number;
  /** Makes the refusal of an operation that may try again after this time. */
  refuse(retryMs: number): Overloaded;
}

/**
 * Lets a limited number of operations (or documents, or events) run at the same time, and a limited number of others wait for their turn. A
 * single caller has at most all places but one, and half of the queue, so that slow operations of one caller cannot keep all others out.
 */
export interface Gate {
  readonly running: number;
  readonly waiting: number;
  /**
   * Refuses an operation of a caller that `enter` would refuse at once: because too many wait already, or because it would probably wait too
   * long. Null if the operation would run or wait.
   */
  refuse(caller: string): Overloaded | null;
  /**
   * Returns `Release`: at once, or as a promise if the operation has to wait. Rejects with the reason if the work is cancelled meanwhile, and
   * with `Overloaded` if `refuse` would refuse it, or if it has waited too long.
   */
  enter(work: Work): Release | Promise<Release>;
}

/** The part of the waiting operations that a single caller may have. */
const QUEUE_SHARE = 0.5;
/** Callers without a waiting operation may make the queue this many times as long. */
const RESERVE = 2;
/** Weight of the latest operation in the average time of operations. */
const AVERAGE_WEIGHT = 0.1;

export function createGate({ name, concurrent, waiting: maxWaiting, waitMs, nowMs, refuse }: GateOptions): Gate {
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
    const limit = own === 0 ? maxWaiting * RESERVE : maxWaiting;
    return queue.size >= limit || own >= maxWaitingOfCaller;
  };
  const refuseFull = (caller: string): Overloaded | null => {
    if (running.mayEnter(caller)) return null;
    const retryMs = expectedMs(caller);
    return isFull(caller) || retryMs > waitMs ? refuse(retryMs) : null;
  };
  const wait = (work: Work): Promise<Release> =>
    new Promise((resolve, reject) => {
      const { caller } = work;
      const startedAt = nowMs();
      const end = () => {
        clearTimeout(timer);
        work.onCancel.delete(onCancel);
        observed.wait.observe((nowMs() - startedAt) / 1_000);
      };
      const onTurn = () => {
        end();
        resolve(start(caller));
      };
      const leave = (): boolean => {
        const hasWaited = queue.remove(caller, onTurn);
        if (hasWaited) end();
        return hasWaited;
      };
      const onCancel = () => leave() && reject(work.reason);
      const onTimeout = () => leave() && reject(refuse(expectedMs(caller)));
      const timer = waitMs === Number.POSITIVE_INFINITY ? undefined : setTimeout(onTimeout, waitMs).unref();
      queue.add(caller, onTurn);
      work.onCancel.add(onCancel);
    });
  const gate: Gate = {
    get running() {
      return running.size();
    },
    get waiting() {
      return queue.size;
    },
    refuse: refuseFull,
    enter(work) {
      if (!work.reason && running.mayEnter(work.caller)) return start(work.caller);
      const refused = work.reason ?? refuseFull(work.caller);
      return refused ? Promise.reject(refused) : wait(work);
    },
  };
  const observed = observeQueue(name, () => gate);
  return gate;
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
