import { onceAtATime } from "../async/once.ts";
import { type HistogramCell, histogramOf, readGauge } from "./registry.ts";

/** The state of a queue, read when metrics are scraped. */
export interface QueueState {
  readonly waiting: number;
  readonly running: number;
}

/** Disposing it ends the reports. */
export interface ObservedQueue extends Disposable {
  /** Records the time, in seconds, that an entry has waited. */
  readonly wait: HistogramCell;
}

/** Reports a queue under a name of ours, such as a class of cost: never one from a caller. `read` runs at each scrape. */
export function observeQueue(queue: string, read: () => QueueState | Promise<QueueState>): ObservedQueue {
  const labels = { queue };
  /** One read serves both gauges of a scrape. */
  const state = onceAtATime(async () => read());
  const parts = [
    readGauge("queueLength", async () => [{ labels, value: (await state()).waiting }]),
    readGauge("queueRunning", async () => [{ labels, value: (await state()).running }]),
  ];
  return {
    wait: histogramOf("queueWait", labels),
    [Symbol.dispose]() {
      for (const part of parts) part[Symbol.dispose]();
    },
  };
}
