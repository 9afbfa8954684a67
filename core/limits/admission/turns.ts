import { untilIdle } from "../../async/until-idle.ts";
import { Failure } from "../../errors/errors.ts";
import { type ChildWork, type CostClass, createChildWork, type Work } from "../../work/work.ts";
import type { Admission, EventGates } from "./admission.ts";
import type { Gate, Release } from "./gate.ts";
import type { Overloaded } from "./overloaded.ts";

/** An operation, an event or a document that wants to run as a part of the work of its request. */
export interface Applicant {
  /** The work of the request. */
  readonly whole: Work;
  /** Identifies the caller, see `Callers.shareOf`. */
  readonly caller: string;
  /** Null if it never waits. */
  readonly costClass: CostClass | null;
}

/** Runs for the part of the work, which ends when the result is there. */
type Run<Result> = (work: Work) => Promise<Result> | Result;

/** Longest time of a heavy operation, and of an event. Each of its statements may take at most 10 seconds. */
const MAX_SECONDS = 60;

/** The refusal of an operation that would neither run nor wait, see `Gate.refuse`. Null if it would. */
export function refuseOverload(
  admission: Admission,
  { costClass, caller }: Pick<Applicant, "costClass" | "caller">,
): Overloaded | null {
  return costClass && admission[costClass].refuse(caller);
}

/** Waits for the turn of an operation in its class, and runs it. A heavy one may take 60 seconds. */
export function runInTurn<Result>(admission: Admission, applicant: Applicant, run: Run<Result>): Promise<Result> {
  const { costClass } = applicant;
  return runAtGate(costClass && admission[costClass], applicant, async (work) => {
    if (!work.isHeavy) return run(work);
    work.cancelAfter(MAX_SECONDS, tooLong);
    const result = await run(work);
    await untilIdle();
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
export function runEvent<Result>(gates: EventGates, applicant: Applicant, run: Run<Result>): Promise<Result> {
  const { costClass } = applicant;
  return runAtGate(costClass && gates[EVENT_GATES[costClass]], applicant, async (work) => {
    work.cancelAfter(MAX_SECONDS, tooLong);
    await untilIdle();
    return run(work);
  });
}

/** Waits for a place, if there is a gate, runs, and gives the place back. */
export async function runAtGate<Result>(
  gate: Gate | null,
  { whole, caller, costClass }: Applicant,
  run: (work: ChildWork) => Promise<Result> | Result,
): Promise<Result> {
  const work = createChildWork(whole, caller, costClass);
  let release: Release | null = null;
  try {
    const entered = gate?.enter(work) ?? null;
    release = entered instanceof Promise ? await entered : entered;
    return await run(work);
  } finally {
    release?.();
    work.end();
  }
}

function tooLong(): Failure {
  return new Failure("UNAVAILABLE", `the request took longer than ${MAX_SECONDS} s: request less data`);
}
