import { until } from "../../test/support/indexed/indexing.ts";
import type { Clock } from "./clock.ts";
import { type Idle, idleUntil, type RepeatOptions, repeatPages } from "./repeat-pages.ts";
import { createWorkSignal } from "./work-signal.ts";

const HOUR_MS = 3_600_000;
const IDLE: Idle = { dueInMs: null };

/** Pauses take no time, and are recorded. */
function createInstantClock(): Clock & { readonly pauses: number[] } {
  const pauses: number[] = [];
  return {
    pauses,
    nowMs: () => 0,
    async sleep(ms, signal) {
      pauses.push(ms);
      signal.throwIfAborted();
    },
  };
}

/** Pages whose results are these; then there is no work. */
function createPages(...results: (number | Idle)[]) {
  const pages = { count: 0, read: async () => results[pages.count++] ?? IDLE };
  return pages;
}

const reads = (pages: { readonly count: number }, count: number) =>
  until(
    async () => pages.count,
    (read) => read === count,
    `${count} pages`,
  );

/** Reads these pages, and returns how long each pause after a page without work is. No work is notified. */
async function idleTimes(...results: Idle[]): Promise<number[]> {
  const stop = new AbortController();
  const clock = createInstantClock();
  const waits: number[] = [];
  const work: RepeatOptions["work"] = {
    count: 0,
    untilNotified: async (_count, ms) => {
      waits.push(ms);
    },
  };
  const pages = createPages(...results);
  const read = async () => {
    if (pages.count === results.length) stop.abort();
    return pages.read();
  };
  await repeatPages(read, { work, clock, signal: stop.signal });
  return clock.pauses.slice(0, results.length).map((pause, at) => pause + (waits[at] ?? 0));
}

describe("pages of work", () => {
  it("follow one another after the pauses that they return", async () => {
    const stop = new AbortController();
    const clock = createInstantClock();
    const pages = createPages(0, 7, 1_000);
    const running = repeatPages(pages.read, { work: createWorkSignal(), clock, signal: stop.signal });
    await reads(pages, 4);
    stop.abort();
    await running;
    expect(clock.pauses).toEqual([0, 7, 1_000, 250]);
  });

  it("without work wait for a notification", async () => {
    const stop = new AbortController();
    const work = createWorkSignal();
    const pages = createPages();
    const running = repeatPages(pages.read, { work, clock: createInstantClock(), signal: stop.signal });
    await reads(pages, 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(pages.count).toBe(1);
    work.notify();
    await reads(pages, 2);
    stop.abort();
    await running;
  });

  it("without work wait until work is due, at least 250 ms and at most an hour", async () => {
    expect(await idleTimes({ dueInMs: 7_000 }, { dueInMs: 250 })).toEqual([7_000, 250]);
    expect(await idleTimes({ dueInMs: 20 }, { dueInMs: -5 })).toEqual([250, 250]);
    expect(await idleTimes({ dueInMs: 30 * 24 * HOUR_MS }, { dueInMs: null })).toEqual([HOUR_MS, HOUR_MS]);
  });

  it("know the time of the next work in seconds", () => {
    expect([idleUntil(1_007, 1_000), idleUntil(null, 1_000)]).toEqual([{ dueInMs: 7_000 }, { dueInMs: null }]);
  });

  it("without work are read again if work was notified meanwhile", async () => {
    const stop = new AbortController();
    const work = createWorkSignal();
    let count = 0;
    const page = async () => {
      if (++count === 1) work.notify();
      return IDLE;
    };
    const running = repeatPages(page, { work, clock: createInstantClock(), signal: stop.signal });
    await until(
      async () => count,
      (read) => read === 2,
      "the second page",
    );
    stop.abort();
    await running;
  });

  it("end with an error of a page, and without one when the signal aborts during a page", async () => {
    const work = createWorkSignal();
    const wrong = async () => {
      throw new Error("no such table");
    };
    await expect(repeatPages(wrong, { work, signal: new AbortController().signal })).rejects.toThrow("no such table");
    const stop = new AbortController();
    const stopped = async () => {
      stop.abort();
      throw new Error("the session has ended");
    };
    await repeatPages(stopped, { work, signal: stop.signal });
  });
});
