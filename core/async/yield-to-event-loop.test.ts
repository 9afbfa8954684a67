import { setImmediate as scheduleImmediate } from "node:timers";
import { setImmediate } from "node:timers/promises";
import { keepBusy } from "../../test/support/keep-busy.ts";
import { mapYielding } from "./yield-to-event-loop.ts";

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
