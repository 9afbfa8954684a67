import { setImmediate as scheduleImmediate } from "node:timers";
import { setImmediate } from "node:timers/promises";
import { keepBusy } from "../test/support/keep-busy.ts";
import { createImmediates, createPacedCalls, mapYielding } from "./yield-to-event-loop.ts";

describe("mapYielding", () => {
  it("returns the results in order", async () => {
    expect(await mapYielding(["a", "b"], async (item, index) => `${item}${index}`)).toEqual(["a0", "b1"]);
  });

  it("lets other work run before long work ends", async () => {
    let done = 0;
    let seen = -1;
    // Starts a new iteration of the event loop: earlier work may have used up this one.
    await setImmediate();
    scheduleImmediate(() => {
      seen = done;
    });
    await mapYielding([1, 2, 3, 4], async () => {
      keepBusy(8);
      done++;
    });
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(4);
  });

  it("yields as often when many callers share the event loop", async () => {
    const gapsMs: number[] = [];
    let last = performance.now();
    const timer = setInterval(() => {
      gapsMs.push(performance.now() - last);
      last = performance.now();
    }, 1);
    const items = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(items.map(() => mapYielding(items, () => keepBusy(1))));
    clearInterval(timer);
    // 400 ms of work in pieces of about 10 ms, however many callers there are.
    expect(gapsMs.length).toBeGreaterThan(20);
  });

  it("rejects with the first failure and maps nothing after it", async () => {
    const mapped: number[] = [];
    const failing = mapYielding([1, 2, 3], async (item) => {
      mapped.push(item);
      if (item === 2) throw new Error("two");
    });
    await expect(failing).rejects.toThrow("two");
    expect(mapped).toEqual([1, 2]);
  });
});

describe("calls in immediates", () => {
  it("are made in their order, one in each iteration of the event loop", async () => {
    const later = createImmediates();
    const calls: string[] = [];
    later.add(() => {
      calls.push("a");
      later.add(() => void calls.push("c"));
    });
    later.add(() => void calls.push("b"));
    expect(calls).toEqual([]);
    for (const expected of [["a"], ["a", "b"], ["a", "b", "c"]]) {
      await setImmediate();
      expect(calls).toEqual(expected);
    }
  });

  it("are all made, also those that others add, when nothing may wait any more", async () => {
    const later = createImmediates();
    const calls: string[] = [];
    later.add(() => {
      calls.push("a");
      later.add(() => void calls.push("d"));
    });
    later.add(() => keepBusy(20));
    for (const name of ["b", "c"]) later.add(() => void calls.push(name));
    await later.callAll();
    expect(calls).toEqual(["a", "b", "c", "d"]);
  });
});

describe("paced calls", () => {
  it("are made in their order, in several iterations of the event loop if they take long", async () => {
    const paced = createPacedCalls(1);
    const calls: string[] = [];
    for (const name of ["a", "b", "c", "d"])
      paced.add(() => {
        // What a call causes counts too.
        void Promise.resolve().then(() => keepBusy(2));
        calls.push(name);
      });
    const seen = new Set<number>();
    while (calls.length < 4) {
      seen.add(calls.length);
      await setImmediate();
    }
    expect(calls).toEqual(["a", "b", "c", "d"]);
    // Between two calls, other work runs.
    expect([...seen]).toEqual([0, 1, 2, 3]);
  });

  it("may be made at once unless others wait or have used up the iteration", async () => {
    const paced = createPacedCalls(1);
    await setImmediate();
    // Earlier work may have used up the iteration.
    while (paced.isBusy()) await setImmediate();
    keepBusy(2);
    expect(paced.isBusy()).toBe(true);
    while (paced.isBusy()) await setImmediate();
    let isMade = false;
    paced.add(() => {
      isMade = true;
    });
    expect(paced.isBusy()).toBe(true);
    while (!isMade) await setImmediate();
  });
});
