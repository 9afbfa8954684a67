import { CALLER_LEFT } from "../../http/connections.ts";
import { cancelWork, createWork } from "../../work/work.ts";
import { createFairQueue } from "./fair-queue.ts";
import { createGate, type GateLimits, type Release } from "./gate.ts";
import { Overloaded } from "./overloaded.ts";

const LIMITS = { concurrent: 2, waiting: 4, waitMs: 60_000 };

/** A gate whose refusals name the time after which to try again. */
function openGate(limits: GateLimits, nowMs: () => number) {
  const refuse = (retryMs: number) => Object.assign(new Overloaded(1), { message: `retry after ${retryMs} ms` });
  const gate = createGate({ ...limits, name: "test", nowMs, refuse });
  const enter = (caller: string): Promise<Release> => {
    const entered = Promise.resolve(gate.enter(createWork(caller)));
    entered.catch(() => {});
    return entered;
  };
  const refusal = (caller: string): string | null => gate.refuse(caller)?.message ?? null;
  return {
    gate,
    enter,
    refusal,
    /** Ends an operation that must have been let in at once. */
    now(caller: string): Release {
      const release = gate.enter(createWork(caller));
      if (release instanceof Promise) throw new Error(`an operation of ${caller} has to wait`);
      return release;
    },
  };
}

/** A gate with an operation of x and one of y that run, and a function that ends one of them, that of y first. */
function busyGate(limits: Partial<typeof LIMITS> = {}, clock = { ms: 0 }) {
  const opened = openGate({ ...LIMITS, ...limits }, () => clock.ms);
  const releases = [opened.now("x"), opened.now("y")];
  return { ...opened, clock, endOne: () => releases.pop()?.() };
}

describe("a queue with several callers", () => {
  it("lets them take turns, each in the order of its entries", () => {
    const queue = createFairQueue<string>();
    for (const entry of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.add(entry.charAt(0), entry);
    expect(queue.remove("a", "a2")).toBe(true);
    expect(queue.remove("a", "a2")).toBe(false);
    expect([queue.size, queue.sizeOf("a"), queue.sizeOf("d")]).toEqual([5, 2, 0]);
    expect(Array.from({ length: 6 }, () => queue.take())).toEqual(["a1", "b1", "c1", "a3", "b2", undefined]);
    expect(queue.size).toBe(0);
  });
});

describe("a gate", () => {
  it("lets operations run at once up to its limit, and others when one ends", async () => {
    const { gate, enter, now, endOne } = busyGate();
    const waiting = enter("a");
    expect([gate.running, gate.waiting]).toEqual([2, 1]);
    endOne();
    expect([gate.running, gate.waiting]).toEqual([2, 0]);
    (await waiting)();
    endOne();
    expect(gate.running).toBe(0);
    now("a");
  });

  it("refuses at once what does not fit, for all callers or for one", async () => {
    const { gate, enter } = busyGate();
    void enter("a");
    void enter("a");
    await expect(enter("a")).rejects.toThrow("retry after");
    void enter("b");
    void enter("c");
    await expect(enter("b")).rejects.toThrow("retry after");
    expect(gate.waiting).toBe(4);
  });

  it("has places for callers without a waiting operation when others have filled the queue", async () => {
    const { gate, enter } = busyGate();
    for (const caller of ["a", "a", "b", "c", "d", "e", "f", "g"]) void enter(caller);
    expect(gate.waiting).toBe(8);
    await expect(enter("h")).rejects.toThrow("retry after");
  });

  it("does not count entries of others that come after the caller's turn as time to wait", async () => {
    const { enter, now, refusal, clock, endOne } = busyGate({ waiting: 40, waitMs: 4_400 });
    clock.ms = 10_000;
    // The average is now one second for one operation.
    endOne();
    now("y");
    for (let waiting = 0; waiting < 4; waiting++) void enter("a");
    for (let waiting = 0; waiting < 4; waiting++) void enter("b");
    expect(refusal("a")).toBe("retry after 4500 ms");
    expect(refusal("c")).toBeNull();
  });

  it("refuses nothing at once that may run or wait", async () => {
    const { gate, enter, refusal, endOne } = busyGate();
    expect(refusal("a")).toBeNull();
    void enter("a");
    void enter("a");
    expect([refusal("a"), refusal("b")]).toEqual(["retry after 0 ms", null]);
    for (let ended = 0; ended < 2; ended++) endOne();
    expect([gate.running, refusal("a")]).toEqual([1, null]);
  });

  it("refuses at once what would probably wait too long", async () => {
    const { enter, now, clock, endOne } = busyGate({ waitMs: 1_000 });
    clock.ms = 30_000;
    // The average is now 3 seconds for one operation.
    endOne();
    now("a");
    await expect(enter("b")).rejects.toThrow("retry after 1500 ms");
  });

  it("refuses what has waited too long, and forgets it", async () => {
    const { gate, enter, endOne } = busyGate({ waitMs: 20 });
    await expect(enter("a")).rejects.toThrow("retry after");
    expect(gate.waiting).toBe(0);
    endOne();
    expect(gate.running).toBe(1);
  });

  it("forgets an operation whose caller leaves, before and while it waits", async () => {
    const { gate } = busyGate();
    const work = createWork("a");
    const waiting = gate.enter(work);
    const reason = CALLER_LEFT;
    cancelWork(work, reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(gate.enter(work)).rejects.toBe(reason);
    expect(gate.waiting).toBe(0);
  });

  describe("with an operation of each place but one", () => {
    const limits = { ...LIMITS, concurrent: 3 };

    it("keeps the last place for other callers", async () => {
      const { gate, enter, now } = openGate(limits, () => 0);
      const [first] = [now("a"), now("a")];
      const waiting = enter("a");
      const other = now("b");
      expect([gate.running, gate.waiting]).toEqual([3, 1]);
      other();
      expect([gate.running, gate.waiting]).toEqual([2, 1]);
      first?.();
      (await waiting)();
      expect([gate.running, gate.waiting]).toEqual([1, 0]);
    });

    it("gives a free place to the next caller in turn who may have it", async () => {
      const { gate, enter, now } = openGate(limits, () => 0);
      const releases = [now("a"), now("a"), now("b")];
      const ofA = enter("a");
      const ofC = enter("c");
      releases[2]?.();
      (await ofC)();
      expect([gate.running, gate.waiting]).toEqual([2, 1]);
      releases[0]?.();
      (await ofA)();
      expect([gate.running, gate.waiting]).toEqual([1, 0]);
    });

    it("expects a caller to wait as long as its own operations take", async () => {
      const clock = { ms: 0 };
      const { now, refusal } = openGate({ ...limits, waitMs: 700 }, () => clock.ms);
      const [first] = [now("a"), now("a")];
      clock.ms = 24_000;
      // The average is now 2.4 seconds for one operation.
      first?.();
      now("a");
      expect([refusal("a"), refusal("b")]).toEqual(["retry after 1200 ms", null]);
      now("b");
      expect(refusal("b")).toBe("retry after 800 ms");
    });
  });

  it("with one place gives it to anyone", () => {
    const { gate, now, enter } = openGate({ ...LIMITS, concurrent: 1 }, () => 0);
    now("a");
    void enter("b");
    expect([gate.running, gate.waiting]).toEqual([1, 1]);
  });
});
