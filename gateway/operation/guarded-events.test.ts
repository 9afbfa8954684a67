import type { ExecutionResult } from "graphql";
import { Failure } from "../../core/errors/errors.ts";
import { guardedEvents } from "./guarded-events.ts";

/** Sends one event for each promise, and records whether it was ended. */
function createSource(events: readonly Promise<ExecutionResult>[]) {
  const waiting = [...events];
  const source = {
    ended: 0,
    [Symbol.asyncIterator]: () => source,
    async next(): Promise<IteratorResult<ExecutionResult>> {
      const event = waiting.shift();
      return event ? { done: false, value: await event } : { done: true, value: undefined };
    },
    async return(): Promise<IteratorResult<ExecutionResult>> {
      source.ended++;
      return { done: true, value: undefined };
    },
  };
  return source;
}

const NEVER = new Promise<ExecutionResult>(() => {});
const event = (number: number) => Promise.resolve({ data: { number } });
const END = { done: true, value: undefined };

/** Guarded events, and the function that revokes the key. */
function start(events: readonly Promise<ExecutionResult>[], charge = () => undefined as Promise<void> | undefined) {
  const source = createSource(events);
  let revoke = () => {};
  let isWatched = true;
  const onEnd = (call: (reason: Failure) => void) => {
    revoke = () => call(new Failure("UNAUTHENTICATED", "the API key was revoked"));
    return () => {
      isWatched = false;
    };
  };
  const guarded = guardedEvents(source, { charge, onEnd });
  return { guarded, source, revoke: () => revoke(), isWatched: () => isWatched };
}

const revoked = { value: { data: null, errors: [{ message: "the API key was revoked" }] } };

describe("guarded events", () => {
  it("are those of the source until its end", async () => {
    const { guarded, isWatched } = start([event(1), event(2)]);
    const events: unknown[] = [];
    for await (const one of guarded) events.push(one);
    expect(events).toEqual([{ data: { number: 1 } }, { data: { number: 2 } }]);
    expect(isWatched()).toBe(false);
  });

  it("end with an error when the key is revoked while a caller waits for an event", async () => {
    const { guarded, source, revoke } = start([NEVER]);
    const next = guarded.next();
    revoke();
    expect(await next).toMatchObject(revoked);
    expect(await guarded.next()).toEqual(END);
    expect(source.ended).toBe(1);
  });

  it("end with an error when the key is revoked between two events", async () => {
    const { guarded, revoke } = start([event(1), event(2)]);
    await guarded.next();
    revoke();
    expect(await guarded.next()).toMatchObject(revoked);
    expect(await guarded.next()).toEqual(END);
  });

  it("end with the failure of an event that cannot be charged", async () => {
    let charges = 0;
    const { guarded, source } = start([event(1), event(2), event(3)], () => {
      if (++charges === 2) throw new Failure("RATE_LIMITED", "used up");
      return undefined;
    });
    expect(await guarded.next()).toMatchObject({ value: { data: { number: 1 } } });
    expect(await guarded.next()).toMatchObject({ value: { errors: [{ message: "used up" }] } });
    expect(await guarded.next()).toEqual(END);
    expect(source.ended).toBe(1);
  });

  it("end at once when the caller leaves, also while it waits for an event", async () => {
    const { guarded, source, isWatched } = start([NEVER]);
    void guarded.next();
    expect(await guarded.return?.()).toEqual(END);
    expect([source.ended, isWatched()]).toEqual([1, false]);
  });
});
