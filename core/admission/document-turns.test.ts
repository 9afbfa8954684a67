import { setImmediate as iteration } from "node:timers/promises";
import { Failure } from "../errors.ts";
import { runInRequest } from "../observability/request-scope.ts";
import { cancelWork, createWork } from "../work/work.ts";
import { createDocumentTurns } from "./document-turns.ts";
import { Overloaded } from "./overloaded.ts";

describe("new documents", () => {
  it("are read in turns of their callers, each in an iteration of its own", async () => {
    const turn = createDocumentTurns();
    const order: string[] = [];
    let iterations = 0;
    let isOver = false;
    const count = (async () => {
      for (; !isOver; iterations++) await iteration();
    })();
    const seen: number[] = [];
    const read = async (caller: string) => {
      await turn(caller);
      order.push(caller);
      seen.push(iterations);
    };
    await Promise.all([...Array.from({ length: 5 }, () => read("many")), read("one")]);
    isOver = true;
    await count;
    expect(order).toEqual(["many", "one", "many", "many", "many", "many"]);
    expect(new Set(seen).size).toBe(6);
  });

  it("are read every 5 ms while no iteration of the event loop is quiet", async () => {
    const turn = createDocumentTurns();
    let isOver = false;
    let iterations = 0;
    const keepBusy = () => {
      const untilMs = performance.now() + 1;
      while (performance.now() < untilMs);
      iterations++;
      if (!isOver) setImmediate(keepBusy);
    };
    setImmediate(keepBusy);
    await turn("a");
    const before = iterations;
    await Promise.all(Array.from({ length: 50 }, (_, at) => turn(String(at % 2))));
    isOver = true;
    // Iterations take at least 1 ms, so these are at most 250, and 1,000 if each document waited 20 ms.
    expect(iterations - before).toBeLessThan(400);
  });

  it("are refused if too many of all callers wait; a caller of whom none waits finds a place", async () => {
    const turn = createDocumentTurns();
    const turns = Array.from({ length: 2_000 }, (_, at) => turn(String(at % 10)));
    await expect(turn("1")).rejects.toBeInstanceOf(Overloaded);
    await turn("other");
    await Promise.all(turns);
  });

  it("are forgotten if their callers leave", async () => {
    const turn = createDocumentTurns();
    const work = createWork();
    const left = Array.from({ length: 500 }, () => runInRequest("r", work, () => turn("many")));
    const reason = new Failure("UNAVAILABLE", "the caller has left");
    cancelWork(work, reason);
    for (const { status } of await Promise.allSettled(left)) expect(status).toBe("rejected");
    await expect(left[0]).rejects.toBe(reason);
    await turn("many");
    await expect(runInRequest("r", work, () => turn("many"))).rejects.toBe(reason);
  });

  it("are refused if too many of their caller wait, and read again later", async () => {
    const turn = createDocumentTurns();
    const turns = Array.from({ length: 500 }, () => turn("many"));
    await expect(turn("many")).rejects.toBeInstanceOf(Overloaded);
    await turn("one");
    await Promise.all(turns);
    await turn("many");
  });
});
