import { stateOf } from "./report.ts";
import type { HealthReport } from "./types.ts";

/** Reports as they change. Disposing it tells all who follow once more, and ends them. */
export interface HealthFeed extends Disposable {
  /** The present report, then those told whose state differs from the one given last; who reads slowly misses what was between. */
  follow(report: () => HealthReport): AsyncIterableIterator<HealthReport>;
  /** Tells the reports of now. */
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
  let told: HealthReport | null = report();
  let isOpen = true;
  let wakeReader = () => {};
  const wake = () => {
    told = report();
    wakeReader();
  };
  const end = () => {
    isOpen = false;
    ended();
    wake();
  };
  const iterator: AsyncIterableIterator<HealthReport> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      while (isOpen || told) {
        const value = told;
        told = null;
        const state = value && stateOf(value);
        if (value && state !== given) {
          given = state;
          return { done: false, value };
        }
        if (!isOpen) break;
        await new Promise<void>((done) => {
          wakeReader = done;
        });
      }
      return { done: true, value: undefined };
    },
    async return() {
      end();
      told = null;
      return { done: true, value: undefined };
    },
  };
  return { iterator, wake, end };
}
