import { access } from "node:fs/promises";
import { setImmediate as iteration } from "node:timers/promises";
import { keepBusy } from "../../test/support/keep-busy.ts";
import { untilIdle } from "./until-idle.ts";

describe("a part of a heavy operation", () => {
  it("runs when the event loop has nothing else to do", async () => {
    const order: string[] = [];
    const others = (async () => {
      for (let request = 0; request < 3; request++) {
        await iteration();
        keepBusy(1);
        order.push("request");
      }
    })();
    // The process may have to wait for a processor longer than the usual 20 ms.
    const heavy = untilIdle(60_000).then(() => order.push("part"));
    await Promise.all([others, heavy]);
    expect(order).toEqual(["request", "request", "request", "part"]);
  });

  it("does not run in the iteration of the work before it", async () => {
    const order: string[] = [];
    // A file that has been read is reported before the end of an iteration.
    await access(".");
    const iterations = (async () => {
      await iteration();
      order.push("end of this iteration");
      await iteration();
      order.push("end of the next iteration");
    })();
    const heavy = untilIdle(60_000).then(() => order.push("part"));
    await Promise.all([iterations, heavy]);
    expect(order).toEqual(["end of this iteration", "end of the next iteration", "part"]);
  });

  it("runs after some time even if the event loop always has something else to do", async () => {
    let isOver = false;
    const others = (async () => {
      while (!isOver) {
        await iteration();
        keepBusy(1);
      }
    })();
    await untilIdle();
    isOver = true;
    await others;
  });

  it("runs alone in an iteration, in the order of the calls", async () => {
    const order: string[] = [];
    const parts = ["first", "second"].map(async (name) => {
      await untilIdle();
      order.push(name);
      await Promise.resolve();
      order.push(`${name} continues`);
    });
    await Promise.all(parts);
    expect(order).toEqual(["first", "first continues", "second", "second continues"]);
  });
});
