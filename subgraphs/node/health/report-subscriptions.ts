import { stateOf } from "./report.ts";
import type { HealthReport } from "./types.ts";

/** Subscriptions to health reports. Disposing it sends each subscriber a last report if the state has changed, and ends it. */
export interface ReportSubscriptions extends Disposable {
  /** Yields the current report, then each one whose state differs from the last. A slow reader skips reports. */
  follow(report: () => HealthReport): AsyncIterableIterator<HealthReport>;
  /** Sends the current report to subscribers if its state differs from that of their last report. */
  notify(): void;
}

export function createReportSubscriptions(): ReportSubscriptions {
  const subscribers = new Set<{ wake(): void; end(): void }>();
  return {
    follow(report) {
      const { iterator, ...subscriber } = createSubscriber(report, () => subscribers.delete(subscriber));
      subscribers.add(subscriber);
      return iterator;
    },
    notify() {
      for (const { wake } of subscribers) wake();
    },
    [Symbol.dispose]() {
      for (const { end } of [...subscribers]) end();
    },
  };
}

function createSubscriber(report: () => HealthReport, onEnd: () => void) {
  let lastState: string | null = null;
  let pending: HealthReport | null = report();
  let isOpen = true;
  let wakeReader = () => {};
  const wake = () => {
    pending = report();
    wakeReader();
  };
  const end = () => {
    isOpen = false;
    onEnd();
    wake();
  };
  const iterator: AsyncIterableIterator<HealthReport> = {
    [Symbol.asyncIterator]: () => iterator,
    async next() {
      while (isOpen || pending) {
        const value = pending;
        pending = null;
        const state = value && stateOf(value);
        if (value && state !== lastState) {
          lastState = state;
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
      pending = null;
      return { done: true, value: undefined };
    },
  };
  return { iterator, wake, end };
}
