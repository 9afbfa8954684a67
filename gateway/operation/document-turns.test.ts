import { setImmediate as iteration } from "node:timers/promises";
import { Failure } from "../../core/errors/errors.ts";
import { createAdmission } from "../../core/limits/admission/admission.ts";
import { Overloaded } from "../../core/limits/admission/overloaded.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { cancelWork, createWork } from "../../core/work/work.ts";
import { testConfig } from "../../test/support/config.ts";
import { keepBusy } from "../../test/support/keep-busy.ts";
import { createLogLines } from "../../test/support/log-lines.ts";
import { recordRejections } from "../../test/support/metrics.ts";
import { waitForTurn } from "./documents.ts";

const createTurns =
  (admission = createAdmission(testConfig(), createLogger("silent"))) =>
  (caller: string, work = createWork(caller)) =>
    waitForTurn(admission.document, caller, work);

describe("new documents", () => {
  it("are read in turns of their callers, each in an iteration of its own", async () => {
    const turn = createTurns();
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
    // The first one of "many" has its turn before the others wait.
    expect(order).toEqual(["many", "many", "one", "many", "many", "many"]);
    expect(new Set(seen).size).toBe(6);
  });

  it("are read every 5 ms while no iteration of the event loop is quiet", async () => {
    const turn = createTurns();
    let isOver = false;
    let iterations = 0;
    const iterate = () => {
      keepBusy(1);
      iterations++;
      if (!isOver) setImmediate(iterate);
    };
    setImmediate(iterate);
    await turn("a");
    const before = iterations;
    await Promise.all(Array.from({ length: 50 }, (_, at) => turn(String(at % 2))));
    isOver = true;
    // Iterations take at least 1 ms, so these are at most 250, and 1,000 if each document waited 20 ms.
    expect(iterations - before).toBeLessThan(400);
  });

  it("are refused if too many of all callers wait; a caller of whom none waits finds a place", async () => {
    const turn = createTurns();
    // One of them has its turn and 1,000 wait.
    const turns = Array.from({ length: 1_001 }, (_, at) => turn(String(at % 10)));
    await expect(turn("1")).rejects.toBeInstanceOf(Overloaded);
    await turn("other");
    await Promise.all(turns);
  });

  it("are forgotten if their callers leave", async () => {
    const turn = createTurns();
    const work = createWork("many");
    const left = Array.from({ length: 501 }, () => turn("many", work));
    const reason = new Failure("UNAVAILABLE", "the caller has left");
    cancelWork(work, reason);
    for (const { status } of await Promise.allSettled(left)) expect(status).toBe("rejected");
    await expect(left[0]).rejects.toBe(reason);
    await turn("many");
    await expect(turn("many", work)).rejects.toBe(reason);
  });

  it("are refused if too many of their caller wait, and read again later", async () => {
    const turn = createTurns();
    const turns = Array.from({ length: 501 }, () => turn("many"));
    await expect(turn("many")).rejects.toBeInstanceOf(Overloaded);
    await turn("one");
    await Promise.all(turns);
    await turn("many");
  });

  it("are refused like operations: counted and logged together, and with a delay if there are many refusals", async () => {
    const rejections = await recordRejections();
    const { logger, lines } = createLogLines("warn");
    const admission = createAdmission(testConfig({ admission: { heavyOperations: 1 } }), logger);
    const turn = createTurns(admission);
    const turns = Array.from({ length: 501 }, () => turn("many"));
    const refusals = await Promise.all(Array.from({ length: 60 }, () => turn("many").catch((error: unknown) => error)));
    for (const refusal of refusals) expect(refusal).toBeInstanceOf(Overloaded);
    const delays = (refusals as Overloaded[]).flatMap(({ delay }) => delay ?? []);
    expect(delays.length).toBeGreaterThan(0);
    expect(delays.length).toBeLessThanOrEqual(40);
    await Promise.all(delays);
    expect(await rejections("overloaded")).toBe(60);
    expect(lines).toMatchObject([{ queue: "document", refused: 1, msg: expect.stringContaining("is overloaded") }]);
    await Promise.all(turns);
  });
});
