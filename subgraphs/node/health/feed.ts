import { stateOf } from "./report.ts";
import type { HealthReport } from "./types.ts";

/** Reports as they change. Disposing it ends all who follow. */
export interface HealthFeed extends Disposable {
  /** The present report, then each whose state differs from the one given last; who reads slowly misses what was between. */
  follow(report: () => HealthReport): AsyncIterableIterator<HealthReport>;
  /** Says that reports may have changed. */
  tell(): void;
}

export function createHealthFeed(): HealthFeed {
  const followers = new Set<{ wake(): void; end(): void }>();
  return {
    follow(report) {
      const { iterator, ...follower } = createFollower(report, () => followers.delete(follower));
      followers.add(follower);
      return iterator;
    },
    tell() {
      for (const { wake } of followers) wake();
    },
    [Symbol.dispose]() {
      for (const { end } of [...followers]) end();
    },
  };
}

function createFollower(report: () => HealthReport, ended: () => void) {
  let given: string | null = null;
  let isOpen = true;
  let wakeReader = () => {};
  const wake = () => wakeReader();
  const end = () => {
    isOpen = false;
    ended();
    wake();
  };
  const iterator: AsyncIterableIterator<HealthReport> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      while (isOpen) {
        const value = report();
        const state = stateOf(value);
        if (state !== given) {
          given = state;
          return { done: false, value };
        }
        await new Promise<void>((done) => {
          wakeReader = done;
        });
      }
      return { done: true, value: undefined };
    },
    async return() {
      end();
      return { done: true, value: undefined };
    },
  };
  return { iterator, wake, end };
}
