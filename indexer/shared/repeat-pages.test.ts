import { createLogger } from "../../core/observability/logger.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import type { Clock } from "./clock.ts";
import { createProgress, type Progress } from "./progress.ts";
import { repeatPages } from "./repeat-pages.ts";

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

/** A progress that is not stored. */
function createOwnProgress(): Progress {
  const rows = { keep: () => ({ [Symbol.asyncDispose]: async () => {} }), write: async () => {} };
  const row = { table: "chain_progress", key: { chain_id: "7" } } as const;
  return createProgress({ rows, row, name: "a chain", logger: createLogger("silent") });
}

/** Pages whose results are these; then there is no work. */
function createPages(...results: (number | null)[]) {
  const pages = { count: 0, read: async () => results[pages.count++] ?? null };
  return pages;
}

const reads = (pages: { readonly count: number }, count: number) =>
  until(
    async () => pages.count,
    (read) => read === count,
    `${count} pages`,
  );

describe("pages of work", () => {
  it("follow one another after the pauses that they return", async () => {
    const stop = new AbortController();
    const clock = createInstantClock();
    const progress = createOwnProgress();
    const pages = createPages(0, 7, 1_000);
    const running = repeatPages(pages.read, { progress, clock, signal: stop.signal });
    await reads(pages, 4);
    stop.abort();
    await running;
    expect(clock.pauses).toEqual([0, 7, 1_000, 250]);
  });

  it("without work wait for another block of the chain, and not for other changes of its progress", async () => {
    const stop = new AbortController();
    const progress = createOwnProgress();
    const pages = createPages();
    const running = repeatPages(pages.read, { progress, clock: createInstantClock(), signal: stop.signal });
    await reads(pages, 1);
    progress.update({ nodeBlockNumber: 9, state: "FOLLOWING" });
    await new Promise((resolve) => setImmediate(resolve));
    expect(pages.count).toBe(1);
    progress.update({ blockNumber: 1 });
    await reads(pages, 2);
    stop.abort();
    await running;
  });

  it.each([
    [1, 1_000],
    [10, 1_000],
    [500, 50_000],
  ])(
    "without work and without a block, of one of %d chains, are read again after %d ms",
    async (chainCount, afterMs) => {
      const stop = new AbortController();
      const clock = createInstantClock();
      const waits: number[] = [];
      const untilOtherBlock = async (_: number, ms: number) => {
        if (waits.push(ms) === 2) stop.abort();
      };
      const progress = { current: createOwnProgress().current, untilOtherBlock };
      await repeatPages(createPages().read, { progress, chainCount, clock, signal: stop.signal });
      expect(waits.map((ms, at) => ms + (clock.pauses[at] ?? 0))).toEqual([afterMs, afterMs]);
    },
  );

  it("without work are read at once again if a block was written meanwhile", async () => {
    const stop = new AbortController();
    const progress = createOwnProgress();
    let count = 0;
    const page = async () => {
      if (++count === 1) progress.update({ blockNumber: 1 });
      return null;
    };
    const running = repeatPages(page, { progress, clock: createInstantClock(), signal: stop.signal });
    await until(
      async () => count,
      (read) => read === 2,
      "the second page",
    );
    stop.abort();
    await running;
  });

  it("end with an error of a page, and without one when the signal aborts during a page", async () => {
    const { signal } = new AbortController();
    const wrong = async () => {
      throw new Error("no such table");
    };
    await expect(repeatPages(wrong, { signal })).rejects.toThrow("no such table");
    const stop = new AbortController();
    const stopped = async () => {
      stop.abort();
      throw new Error("the session has ended");
    };
    await repeatPages(stopped, { signal: stop.signal });
  });
});
