import { setImmediate as iteration } from "node:timers/promises";
import { createIterationLimit } from "./iteration-limit.ts";

describe("a limit of operations that begin in an iteration", () => {
  it("lets the first ones begin at once, and the others in later iterations, in turns of their callers", async () => {
    const begin = createIterationLimit(2);
    const order: string[] = [];
    const start = async (caller: string) => {
      await begin(caller);
      order.push(caller);
    };
    expect([begin("many"), begin("many")]).toEqual([undefined, undefined]);
    const later = [1, 2, 3, 4, 5].map(() => start("many"));
    later.push(start("one"));
    expect(order).toEqual([]);
    const counts: number[] = [];
    while (order.length < 6) {
      await iteration();
      counts.push(order.length);
    }
    expect(order).toEqual(["many", "one", "many", "many", "many", "many"]);
    for (const [at, count] of counts.entries()) expect(count - (counts[at - 1] ?? 0)).toBeLessThanOrEqual(2);
    await Promise.all(later);
  });

  it("lets operations begin at once again later", async () => {
    const begin = createIterationLimit(1);
    for (let round = 0; round < 3; round++) {
      expect(begin("any")).toBeUndefined();
      const second = begin("any");
      expect(second).toBeInstanceOf(Promise);
      await second;
      await iteration();
      await iteration();
    }
  });
});
