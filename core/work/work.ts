import { setMaxListeners } from "node:events";
import type { Failure } from "../errors.ts";

/**
 * Work that is done for a caller: a request, an operation, or a part of one. It is cancelled when nobody waits for its result any more.
 * An `AbortController` has the same purpose, but takes several times as long to make and to listen to, which counts for statements
 * that take less than a millisecond.
 */
export interface Work {
  /** Identifies the caller, see `Callers.shareOf`. Empty for work that belongs to no caller. */
  readonly caller: string;
  /** True if it needs much of the process, so that its parts run in turns; see `heavyTurn`. */
  readonly isHeavy: boolean;
  /** Why the work is cancelled; null while it may go on. */
  readonly reason: Failure | null;
  /** Functions that are called once when the work is cancelled. Whoever adds one removes it when its part of the work has ended. */
  readonly onCancel: Set<() => void>;
}

class MutableWork implements Work {
  readonly caller: string;
  readonly isHeavy: boolean;
  reason: Failure | null = null;
  controller: AbortController | null = null;
  listeners: Set<() => void> | null = null;

  constructor(caller: string, isHeavy: boolean) {
    this.caller = caller;
    this.isHeavy = isHeavy;
  }

  /** Made when it is needed: many requests run no statement. */
  get onCancel(): Set<() => void> {
    this.listeners ??= new Set();
    return this.listeners;
  }
}

export function createWork(caller = "", isHeavy = false): Work {
  return new MutableWork(caller, isHeavy);
}

/** Cancels work. Work that is cancelled already keeps its first reason. */
export function cancelWork(work: Work, reason: Failure): void {
  if (work.reason) return;
  const cancelled = work as MutableWork; // `createWork` makes no others
  cancelled.reason = reason;
  for (const call of cancelled.listeners ?? []) call();
  cancelled.listeners?.clear();
  cancelled.controller?.abort(reason);
}

/** Returns a signal that is aborted when the work is cancelled. It is made at the first call. */
export function signalOf(work: Work): AbortSignal {
  const followed = work as MutableWork; // `createWork` makes no others
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
