import { Failure } from "../../errors/errors.ts";
import { type CostClass, cancelWork, createWork, type Work } from "../../work/work.ts";
import { createEventGates } from "./admission.ts";
import { runEvent } from "./turns.ts";

/** Events whose making ends when the test says so. */
function createEvents() {
  const gates = createEventGates();
  const gate = gates.event;
  const making: { readonly caller: string; readonly work: Work; end(): void }[] = [];
  const make = (caller: string, work = createWork()): Promise<string> => {
    return runEvent(gates, { whole: work, caller, costClass: "light" }, async (part) => {
      await new Promise<void>((end) => making.push({ caller, work: part, end }));
      return caller;
    });
  };
  return { gate, making, make };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 1));
}

describe("events of subscriptions", () => {
  it("take turns by caller, and one caller has all places but one", async () => {
    const { gate, making, make } = createEvents();
    const made = Promise.all(["a", "a", "a", "b", "c"].map((caller) => make(caller)));
    const callers = () => making.map(({ caller }) => caller);
    await until(() => making.length === 2 && gate.waiting === 3);
    expect(callers()).toEqual(["a", "b"]);
    for (let ended = 0; ended < 5; ended++) {
      await until(() => making.length > ended);
      making[ended]?.end();
    }
    expect(await made).toEqual(["a", "a", "a", "b", "c"]);
    expect(callers().indexOf("c")).toBeLessThan(4);
    expect(gate.waiting).toBe(0);
  });

  it("are forgotten while they wait if their caller leaves", async () => {
    const { gate, making, make } = createEvents();
    const work = createWork();
    const first = make("a");
    const waiting = make("a", work);
    await until(() => making.length === 1 && gate.waiting === 1);
    cancelWork(work, new Failure("UNAVAILABLE", "left"));
    await expect(waiting).rejects.toThrow("left");
    expect(gate.waiting).toBe(0);
    making[0]?.end();
    expect(await first).toBe("a");
  });

  it("are cancelled with their request while they are made, and not after that", async () => {
    const { making, make } = createEvents();
    const work = createWork();
    const [left, whole] = [make("a", work), make("b")];
    await until(() => making.length === 2);
    cancelWork(work, new Failure("UNAVAILABLE", "left"));
    expect(making.map((one) => one.work.reason?.message)).toEqual(["left", undefined]);
    for (const one of making) one.end();
    expect(await Promise.all([left, whole])).toEqual(["a", "b"]);
  });

  it("that wait for nodes keep no others waiting", async () => {
    const gates = createEventGates();
    const ends: (() => void)[] = [];
    const make = (costClass: CostClass) =>
      runEvent(
        gates,
        { whole: createWork(), caller: "a", costClass },
        () => new Promise<void>((end) => ends.push(end)),
      );
    const made = [make("heavyRemote"), make("heavyRemote"), make("remote"), make("light")];
    await until(() => ends.length === 3);
    expect([gates.heavyRemoteEvent.waiting, gates.event.waiting]).toEqual([1, 0]);
    await until(() => {
      for (const end of ends.splice(0)) end();
      return gates.heavyRemoteEvent.running === 0;
    });
    await Promise.all(made);
  });
});
