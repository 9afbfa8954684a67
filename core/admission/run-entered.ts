import { handledLater } from "../handled-later.ts";
import { currentScope } from "../observability/request-scope.ts";
import type { Admission } from "./admission.ts";
import type { CostClass } from "./cost-class.ts";
import type { Release } from "./gate.ts";
import { heavyTurn } from "./heavy-turns.ts";
import { runInClass } from "./run-in-class.ts";

/** An operation that has entered, see `Admission.enter`. */
export interface EnteredOperation {
  readonly admission: Pick<Admission, "enter" | "holdRows">;
  /** Null if the operation never waits. */
  readonly costClass: CostClass | null;
  readonly caller: string;
  readonly release: Release | null;
}

/**
 * Runs an operation that has entered, with the limits of its class, and gives its place back.
 *
 * The class is an estimate: a list without pages may be long, and so may a text. If a statement of a light operation returns much, the operation
 * gives its place back to other light ones and goes on when it has a place of a heavy one. Rejects with `Overloaded` if it gets none, or if too
 * many rows would wait in memory.
 */
export async function runEntered<Result>(
  entered: EnteredOperation,
  run: () => Promise<Result> | Result,
): Promise<Result> {
  const { costClass, release } = entered;
  const scope = costClass === "light" ? currentScope() : undefined;
  if (!scope) return runThenRelease(costClass, release, run);
  // Few operations need it, and it takes longer to make than the rest of this function.
  const growing: { place?: GrowingPlace } = {};
  scope.becomeHeavy = (characters) => {
    growing.place ??= createGrowingPlace(entered);
    return growing.place.becomeHeavy(characters);
  };
  try {
    const result = await run();
    const { place } = growing;
    if (place?.refusal) throw place.refusal;
    if (place?.isHeavy) await heavyTurn();
    return result;
  } catch (error) {
    throw growing.place?.refusal ?? error;
  } finally {
    scope.becomeHeavy = undefined;
    if (growing.place) growing.place.release();
    else release?.();
  }
}

/** Enters, waits for the turn of the operation if it has to, and runs it as `runEntered` does. */
export async function runInTurn<Result>(
  operation: Omit<EnteredOperation, "release">,
  run: () => Promise<Result> | Result,
): Promise<Result> {
  const { admission, costClass, caller } = operation;
  const entered = costClass && admission.enter({ costClass, caller });
  const release = entered instanceof Promise ? await entered : entered;
  return runEntered({ ...operation, release }, run);
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

type GrowingPlace = ReturnType<typeof createGrowingPlace>;

/** The place of a light operation, which may exchange it for that of a heavy one. */
function createGrowingPlace({ admission, caller, release }: EnteredOperation) {
  const applicant = { costClass: "heavy", caller } as const;
  let held = release;
  let growing: Promise<void> | null = null;
  /** Characters of its rows that `holdRows` has counted. */
  let own = 0;
  let isOver = false;
  const leave = (): void => {
    held?.();
    held = null;
  };
  const place = {
    isHeavy: false,
    /** Why there is no place for it as a heavy operation. */
    refusal: null as unknown,
    async becomeHeavy(characters: number): Promise<void> {
      if (place.isHeavy) return;
      leave();
      // If it throws, the caller has other operations that wait, so that there is no free place.
      const releaseRows = holdRows(characters);
      growing ??= handledLater(grow());
      await growing.finally(releaseRows);
    },
    release(): void {
      isOver = true;
      leave();
    },
  };
  function holdRows(characters: number): Release {
    try {
      const releaseRows = admission.holdRows(applicant, { characters, own });
      own += characters;
      return releaseRows;
    } catch (error) {
      place.refusal = error;
      throw error;
    }
  }
  async function grow(): Promise<void> {
    try {
      const entered = admission.enter(applicant);
      held = entered instanceof Promise ? await entered : entered;
    } catch (error) {
      place.refusal ??= error;
      throw error;
    }
    place.isHeavy = true;
    // Another part of the operation has failed meanwhile.
    if (isOver) leave();
  }
  return place;
}
