import { setTimeout as sleep } from "node:timers/promises";
import { callerLeftFailure } from "../caller-left.ts";
import { cancelWork, createWork } from "../work/work.ts";
import { createFairQueue } from "./fair-queue.ts";
import { createGate, type Entrance } from "./gate.ts";

const LIMITS = { concurrent: 2, waiting: 4, waitMs: 60_000 };

/** Ends the operation of an entrance that must have been granted. */
function release(entrance: Entrance): void {
  if (entrance.kind !== "running") throw new Error(`it is ${entrance.kind}`);
  entrance.release();
}

/** A gate with an operation of x and one of y that run, and a function that ends one of them, that of y first. */
function busyGate(limits: Partial<typeof LIMITS> = {}, clock = { ms: 0 }) {
  const gate = createGate({ ...LIMITS, ...limits }, () => clock.ms);
  const releases = [gate.tryEnter("x"), gate.tryEnter("y")];
  return { gate, clock, endOne: () => releases.pop()?.() };
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
    const { gate, endOne } = busyGate();
    expect(gate.tryEnter("a")).toBeNull();
    const waiting = gate.wait("a", undefined);
    expect([gate.running, gate.waiting]).toEqual([2, 1]);
    endOne();
    expect([gate.running, gate.waiting]).toEqual([2, 0]);
    release(await waiting);
    endOne();
    expect(gate.running).toBe(0);
    expect(gate.tryEnter("a")).not.toBeNull();
  });

  it("refuses at once what does not fit, for all callers or for one", async () => {
    const { gate } = busyGate();
    void gate.wait("a", undefined);
    void gate.wait("a", undefined);
    const refused = { kind: "refused", retryMs: expect.any(Number) };
    expect(await gate.wait("a", undefined)).toEqual(refused);
    void gate.wait("b", undefined);
    void gate.wait("c", undefined);
    expect(await gate.wait("b", undefined)).toEqual(refused);
    expect(gate.waiting).toBe(4);
  });

  it("has places for callers without a waiting operation when others have filled the queue", async () => {
    const { gate } = busyGate();
    for (const caller of ["a", "a", "b", "c", "d", "e", "f", "g"]) void gate.wait(caller, undefined);
    expect(gate.waiting).toBe(8);
    expect(await gate.wait("h", undefined)).toMatchObject({ kind: "refused" });
  });

  it("does not count entries of others that come after the caller's turn as time to wait", async () => {
    const { gate, clock, endOne } = busyGate({ waiting: 40, waitMs: 4_400 });
    clock.ms = 10_000;
    // The average is now one second for one operation.
    endOne();
    expect(gate.tryEnter("y")).not.toBeNull();
    for (let waiting = 0; waiting < 4; waiting++) void gate.wait("a", undefined);
    for (let waiting = 0; waiting < 4; waiting++) void gate.wait("b", undefined);
    expect(gate.refusal("a")).toBe(4_500);
    expect(gate.refusal("c")).toBeNull();
  });

  it("refuses nothing at once that may run or wait", async () => {
    const { gate, endOne } = busyGate();
    expect(gate.refusal("a")).toBeNull();
    void gate.wait("a", undefined);
    void gate.wait("a", undefined);
    expect([gate.refusal("a"), gate.refusal("b")]).toEqual([0, null]);
    for (let ended = 0; ended < 2; ended++) endOne();
    expect([gate.running, gate.refusal("a")]).toEqual([1, null]);
  });

  it("refuses at once what would probably wait too long", async () => {
    const { gate, clock, endOne } = busyGate({ waitMs: 1_000 });
    clock.ms = 30_000;
    // The average is now 3 seconds for one operation.
    endOne();
    expect(gate.tryEnter("a")).not.toBeNull();
    expect(await gate.wait("b", undefined)).toEqual({ kind: "refused", retryMs: 1_500 });
  });

  it("refuses what has waited too long, and forgets it", async () => {
    const { gate, endOne } = busyGate({ waitMs: 20 });
    expect(await gate.wait("a", undefined)).toMatchObject({ kind: "refused" });
    expect(gate.waiting).toBe(0);
    endOne();
    expect(gate.running).toBe(1);
  });

  it("forgets an operation whose caller leaves, before and while it waits", async () => {
    const { gate } = busyGate();
    const work = createWork();
    const waiting = gate.wait("a", work);
    await sleep(1);
    cancelWork(work, callerLeftFailure());
    expect(await waiting).toEqual({ kind: "left" });
    expect(await gate.wait("a", work)).toEqual({ kind: "left" });
    expect(gate.waiting).toBe(0);
  });

  describe("with an operation of each place but one", () => {
    const limits = { ...LIMITS, concurrent: 3 };

    it("keeps the last place for other callers", async () => {
      const gate = createGate(limits, () => 0);
      const [first] = [gate.tryEnter("a"), gate.tryEnter("a")];
      expect(gate.tryEnter("a")).toBeNull();
      const waiting = gate.wait("a", undefined);
      const other = gate.tryEnter("b");
      expect([other === null, gate.running, gate.waiting]).toEqual([false, 3, 1]);
      other?.();
      expect([gate.running, gate.waiting]).toEqual([2, 1]);
      first?.();
      release(await waiting);
      expect([gate.running, gate.waiting]).toEqual([1, 0]);
    });

    it("gives a free place to the next caller in turn who may have it", async () => {
      const gate = createGate(limits, () => 0);
      const releases = [gate.tryEnter("a"), gate.tryEnter("a"), gate.tryEnter("b")];
      const ofA = gate.wait("a", undefined);
      const ofC = gate.wait("c", undefined);
      releases[2]?.();
      release(await ofC);
      expect([gate.running, gate.waiting]).toEqual([2, 1]);
      releases[0]?.();
      release(await ofA);
      expect([gate.running, gate.waiting]).toEqual([1, 0]);
    });

    it("expects a caller to wait as long as its own operations take", async () => {
      const clock = { ms: 0 };
      const gate = createGate({ ...limits, waitMs: 700 }, () => clock.ms);
      const [first] = [gate.tryEnter("a"), gate.tryEnter("a")];
      clock.ms = 24_000;
      // The average is now 2.4 seconds for one operation.
      first?.();
      gate.tryEnter("a");
      expect([gate.refusal("a"), gate.refusal("b")]).toEqual([1_200, null]);
      gate.tryEnter("b");
      expect(gate.refusal("b")).toBe(800);
    });
  });

  it("with one place gives it to anyone", () => {
    const gate = createGate({ ...LIMITS, concurrent: 1 }, () => 0);
    expect(gate.tryEnter("a")).not.toBeNull();
    expect(gate.tryEnter("b")).toBeNull();
  });
});
