import { setMaxListeners } from "node:events";
import type { Failure } from "../errors/errors.ts";

/**
 * What an operation needs. `light`: a few milliseconds. `heavy`: tens of milliseconds or more. Of each class, operations that wait for nodes or
 * validators are apart: when a node hangs, they keep no others waiting.
 */
export type CostClass = "light" | "heavy" | "remote" | "heavyRemote";

/**
 * Work that is done for a caller: a request, an operation, or a part of one. It is cancelled when nobody waits for its result any more.
 * An `AbortController` has the same purpose, but takes several times as long to make and to listen to, which counts for statements
 * that take less than a millisecond.
 */
export interface Work {
  /** Identifies the caller, see `Callers.shareOf`. Empty for work that belongs to no caller, or whose caller is not known yet. */
  readonly caller: string;
  /** What it needs. Null if it never waits for its turn. */
  readonly costClass: CostClass | null;
  /** True if it needs much of the process, so that it pauses between its steps; see `untilIdle`. */
  readonly isHeavy: boolean;
  /** Why the work is cancelled; null while it may go on. */
  readonly reason: Failure | null;
  /** Functions that are called once when the work is cancelled. Whoever adds one removes it when its part of the work has ended. */
  readonly onCancel: Set<() => void>;
}

/** Work for a part of other work, with which it is cancelled. */
export interface ChildWork extends Work {
  /** Cancels it with this reason after a time, unless it has ended. */
  cancelAfter(seconds: number, reason: () => Failure): void;
  /** To be called when it has ended: nothing cancels it any more. */
  end(): void;
}

class MutableWork implements ChildWork {
  readonly caller: string;
  readonly costClass: CostClass | null;
  reason: Failure | null = null;
  controller: AbortController | null = null;
  listeners: Set<() => void> | null = null;
  end: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;

  constructor(caller: string, costClass: CostClass | null, whole: Work | null) {
    this.caller = caller;
    this.costClass = costClass;
    if (whole) this.#follow(whole);
  }

  get isHeavy(): boolean {
    return this.costClass === "heavy" || this.costClass === "heavyRemote";
  }

  /** Made when it is needed: many requests run no statement. */
  get onCancel(): Set<() => void> {
    this.listeners ??= new Set();
    return this.listeners;
  }

  cancelAfter(seconds: number, reason: () => Failure): void {
    this.#timer = setTimeout(() => cancelWork(this, reason()), seconds * 1_000);
  }

  #follow(whole: Work): void {
    const cancel = () => {
      if (whole.reason) cancelWork(this, whole.reason);
    };
    cancel();
    whole.onCancel.add(cancel);
    this.end = () => {
      clearTimeout(this.#timer);
      whole.onCancel.delete(cancel);
    };
  }
}

export function createWork(caller = "", costClass: CostClass | null = null): Work {
  return new MutableWork(caller, costClass, null);
}

/** Begins work that is cancelled with `whole`, is done for this caller, and needs what its class says. */
export function createChildWork(whole: Work, caller: string, costClass: CostClass | null): ChildWork {
  return new MutableWork(caller, costClass, whole);
}

/** Work that belongs to no request, and is never cancelled: reads that all requests share, and what the service does on its own. */
export const SERVICE_WORK: Work = createWork();

/** Cancels work. Work that is cancelled already keeps its first reason. */
export function cancelWork(work: Work, reason: Failure): void {
  if (work.reason) return;
  const cancelled = work as MutableWork; // `createWork` and `createChildWork` make no others
  cancelled.reason = reason;
  for (const call of cancelled.listeners ?? []) call();
  cancelled.listeners?.clear();
  cancelled.controller?.abort(reason);
}

/** Returns a signal that is aborted when the work is cancelled. It is made at the first call. */
export function signalOf(work: Work): AbortSignal {
  const followed = work as MutableWork; // `createWork` and `createChildWork` make no others
  if (!followed.controller) {
    followed.controller = new AbortController();
    setMaxListeners(0, followed.controller.signal);
    if (work.reason) followed.controller.abort(work.reason);
  }
  return followed.controller.signal;
}

/** Throws the reason of work that is cancelled. */
export function throwIfCancelled({ reason }: Work): void {
  if (reason) throw reason;
}
