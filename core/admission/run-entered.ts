import { currentScope, type RequestScope } from "../observability/request-scope.ts";
import type { Admission } from "./admission.ts";
import type { CostClass } from "./cost-class.ts";
import type { Release } from "./gate.ts";
import { GrowingPlace } from "./growing-place.ts";
import { heavyTurn } from "./heavy-turns.ts";
import { runInClass } from "./run-in-class.ts";

/** An operation, and the admission that lets it run. */
export interface GatedOperation {
  readonly admission: Pick<Admission, "enter" | "holdRows">;
  /** Null if the operation never waits. */
  readonly costClass: CostClass | null;
  readonly caller: string;
}

/**
 * Runs an operation that has entered (see `Admission.enter`), with the limits of its class, and gives its place back.
 *
 * The class is an estimate: a list without pages may be long, and so may a text. If a statement of a light operation returns much, the operation
 * gives its place back to other light ones and goes on when it has a place of a heavy one. Rejects with `Overloaded` if it gets none, or if too
 * many rows would wait in memory.
 */
export function runEntered<Result>(
  { admission, costClass, caller }: GatedOperation,
  release: Release | null,
  run: () => Promise<Result> | Result,
): Promise<Result> {
  const scope = costClass === "light" ? currentScope() : undefined;
  return scope
    ? runGrowing(scope, new GrowingPlace(admission, caller, release), run)
    : runThenRelease(costClass, release, run);
}

/** Enters, waits for the turn of the operation if it has to, and runs it as `runEntered` does. */
export async function runInTurn<Result>(
  operation: GatedOperation,
  run: () => Promise<Result> | Result,
): Promise<Result> {
  const { admission, costClass, caller } = operation;
  const entered = costClass && admission.enter({ costClass, caller });
  return runEntered(operation, entered instanceof Promise ? await entered : entered, run);
}

async function runGrowing<Result>(
  scope: RequestScope,
  place: GrowingPlace,
  run: () => Promise<Result> | Result,
): Promise<Result> {
  scope.place = place;
  try {
    const result = await run();
    if (place.refusal) throw place.refusal;
    if (place.isHeavy) await heavyTurn();
    return result;
  } catch (error) {
    throw place.refusal ?? error;
  } finally {
    scope.place = undefined;
    place.release();
  }
}

async function runThenRelease<Result>(
  costClass: CostClass | null,
  release: Release | null,
  run: () => Promise<Result> | Result,
): Promise<Result> {
  try {
    return await runInClass(costClass, run);
  } finally {
    release?.();
  }
}
