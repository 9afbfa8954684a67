import { Failure } from "../errors.ts";
import { currentScope, runInRequest } from "../observability/request-scope.ts";
import { cancelWork, createWork } from "../work/work.ts";
import { createEventAdmission } from "./event-admission.ts";
import { eventsInTurns, sourceInTurns } from "./event-turns.ts";

/** Subscriptions of one event each, whose making ends when the test says so. */
function createSubscriptions() {
  const admission = createEventAdmission();
  const making: { readonly caller: string; end(): void }[] = [];
  const subscribe = (caller: string, work = createWork()) => {
    const source = sourceInTurns(
      (async function* () {
        yield caller;
      })(),
    );
    const made = (async function* () {
      for await (const event of source) {
        await new Promise<void>((end) => making.push({ caller: event, end }));
        yield event;
      }
    })();
    return runInRequest("r", work, () => eventsInTurns(made, { costClass: "light", caller }, admission));
  };
  const callers = () => making.map(({ caller }) => caller);
  return { admission, making, callers, subscribe };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((done) => setTimeout(done, 1));
}

describe("events of subscriptions", () => {
  it("take turns by caller, and one caller has all places but one", async () => {
    const { admission, making, callers, subscribe } = createSubscriptions();
    const next = ["a", "a", "a", "b", "c"].map((caller) => subscribe(caller).next());
    await until(() => making.length === 2 && admission.waiting === 3);
    expect(callers()).toEqual(["a", "b"]);
    for (let ended = 0; ended < 5; ended++) {
      await until(() => making.length > ended);
      making[ended]?.end();
    }
    expect((await Promise.all(next)).map(({ value }) => value)).toEqual(["a", "a", "a", "b", "c"]);
    expect(callers().indexOf("c")).toBeLessThan(4);
    expect(admission.waiting).toBe(0);
  });

  it("are forgotten while they wait if their caller leaves", async () => {
    const { admission, making, subscribe } = createSubscriptions();
    const work = createWork();
    const first = subscribe("a").next();
    const waiting = subscribe("a", work).next();
    await until(() => making.length === 1 && admission.waiting === 1);
    cancelWork(work, new Failure("UNAVAILABLE", "left"));
    await expect(waiting).rejects.toThrow("left");
    expect(admission.waiting).toBe(0);
    making[0]?.end();
    expect((await first).value).toBe("a");
  });

  it("belong to the request, and are cancelled with it", async () => {
    const work = createWork();
    const scopes: unknown[] = [];
    const source = sourceInTurns(
      (async function* () {
        yield 1;
      })(),
    );
    const made = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          const next = await source.next();
          const scope = currentScope();
          scopes.push(scope?.requestId);
          cancelWork(work, new Failure("UNAVAILABLE", "left"));
          scopes.push(scope?.work.reason?.message);
          return next;
        },
      }),
    };
    const events = runInRequest("r", work, () =>
      eventsInTurns(made, { costClass: "light", caller: "a" }, createEventAdmission()),
    );
    await events.next();
    expect(scopes).toEqual(["r", "left"]);
  });

  it("do not wait if nobody reads them in turns", async () => {
    const source = sourceInTurns(
      (async function* () {
        yield 1;
      })(),
    );
    expect(await source.next()).toEqual({ done: false, value: 1 });
  });
});
