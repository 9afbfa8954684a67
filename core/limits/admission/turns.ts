import { heavyTurn } from "../../async/heavy-turns.ts";
import { Failure } from "../../errors/errors.ts";
import type { CostClass, Work, WorkPart } from "../../work/work.ts";
import type { Admission, EventGates } from "./admission.ts";
import type { Gate, Release } from "./gate.ts";

/** Longest time of a heavy operation, and of an event. Each of its statements may take at most 10 seconds. */
const MAX_SECONDS = 60;

/** Refuses work that would neither run nor wait, see `Gate.refuse`. Null if it would. */
export function refuseOverload(admission: Admission, { costClass, caller }: Work): Promise<never> | null {
  return costClass && admission[costClass].refuse(caller);
}

/** Waits for the turn of an operation in its class, runs it, and ends its work. A heavy one may take 60 seconds. */
export function runInTurn<Result>(
  admission: Admission,
  work: WorkPart,
  run: () => Promise<Result> | Result,
): Promise<Result> {
  const { costClass } = work;
  return runIn(costClass && admission[costClass], work, async () => {
    if (!work.isHeavy) return run();
    work.cancelAfter(MAX_SECONDS, tooLong);
    const result = await run();
    await heavyTurn();
    return result;
  });
}

const EVENT_GATES: Readonly<Record<CostClass, keyof EventGates>> = {
  light: "event",
  heavy: "event",
  remote: "remoteEvent",
  heavyRemote: "heavyRemoteEvent",
};

/** The same for the start of a subscription or one of its events, which may take 60 seconds. */
export function runEvent<Result>(
  gates: EventGates,
  work: WorkPart,
  run: () => Promise<Result> | Result,
): Promise<Result> {
  const { costClass } = work;
  return runIn(costClass && gates[EVENT_GATES[costClass]], work, async () => {
    work.cancelAfter(MAX_SECONDS, tooLong);
    await heavyTurn();
    return run();
  });
}

/** Null: the work needs no place. */
async function runIn<Result>(gate: Gate | null, work: WorkPart, run: () => Promise<Result> | Result): Promise<Result> {
  let release: Release | null = null;
  try {
    const entered = gate?.enter(work) ?? null;
    release = entered instanceof Promise ? await entered : entered;
    return await run();
  } finally {
    release?.();
    work.end();
  }
}

function tooLong(): Failure {
  return new Failure("UNAVAILABLE", `the request took longer than ${MAX_SECONDS} s: request less data`);
}
