import { createFairQueue } from "./fair-queue.ts";

/**
 * Lets a limited number of operations begin in an iteration of the event loop. Returns undefined if one more may begin now, else a promise
 * that resolves in a later iteration. Callers take turns, who are named as by `Callers.shareOf`.
 */
export type IterationLimit = (caller: string) => Promise<void> | undefined;

/** Light requests, which need several iterations, are then answered also while thousands of operations begin. */
export function createIterationLimit(perIteration: number): IterationLimit {
  const waiting = createFairQueue<() => void>();
  let begun = 0;
  const nextIteration = (): void => {
    begun = Math.min(perIteration, waiting.size);
    for (let resumed = 0; resumed < begun; resumed++) waiting.take()?.();
    if (begun > 0) setImmediate(nextIteration);
  };
  return (caller) => {
    if (begun < perIteration) {
      if (begun === 0) setImmediate(nextIteration);
      begun++;
      return undefined;
    }
    return new Promise((resume) => waiting.add(caller, resume));
  };
}
