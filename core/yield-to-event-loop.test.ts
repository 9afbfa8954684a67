import { setImmediate as onTurn } from "node:timers";
import { setImmediate } from "node:timers/promises";
import { mapInTurns } from "./yield-to-event-loop.ts";

const busy = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

describe("turns", () => {
  it("give the results in order", async () => {
    expect(await mapInTurns(["a", "b"], async (item, index) => `${item}${index}`)).toEqual(["a0", "b1"]);
  });

  it("let others run before long work is done", async () => {
    let done = 0;
    let seen = -1;
    // A turn of its own: what was mapped before may have used up this one.
    await setImmediate();
    onTurn(() => {
      seen = done;
    });
    await mapInTurns([1, 2, 3, 4], async () => {
      busy(8);
      done++;
    });
    expect(seen).toBeGreaterThan(0);
    expect(seen).toBeLessThan(4);
  });

  it("are no longer for being taken by many", async () => {
    const turns: number[] = [];
    let last = performance.now();
    const timer = setInterval(() => {
      turns.push(performance.now() - last);
      last = performance.now();
    }, 1);
    const items = Array.from({ length: 20 }, (_, index) => index);
    await Promise.all(items.map(() => mapInTurns(items, () => busy(1))));
    clearInterval(timer);
    // 400 ms of work: in pieces of about 10, however many share them.
    expect(turns.length).toBeGreaterThan(20);
  });

  it("reject with the first failure, and map nothing after it", async () => {
    const mapped: number[] = [];
    const failing = mapInTurns([1, 2, 3], async (item) => {
      mapped.push(item);
      if (item === 2) throw new Error("two");
    });
    await expect(failing).rejects.toThrow("two");
    expect(mapped).toEqual([1, 2]);
  });
});
