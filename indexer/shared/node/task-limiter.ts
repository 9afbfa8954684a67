import type { Pace } from "./adaptive-concurrency.ts";

/** Runs tasks beside each other. */
export interface Slots {
  run<Result>(task: () => Promise<Result>): Promise<Result>;
}

/** Lets as many run as the pace allows at that moment; the rest wait in order. */
export function createSlots(pace: Pick<Pace, "concurrency">): Slots {
  const waiting: (() => void)[] = [];
  let running = 0;
  const admit = () => {
    for (let next = waiting[0]; next && running < pace.concurrency; next = waiting[0]) {
      waiting.shift();
      // Counted here and not when it wakes: until then another could take the same slot.
      running++;
      next();
    }
  };
  return {
    async run(task) {
      await new Promise<void>((go) => {
        waiting.push(go);
        admit();
      });
      try {
        return await task();
      } finally {
        running--;
        admit();
      }
    },
  };
}
