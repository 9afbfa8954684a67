import { currentScope } from "../observability/request-scope.ts";
import { throwIfCancelled } from "../work/work.ts";
import { heavyTurn } from "./heavy-turns.ts";
import type { ObservedGate } from "./observed-gate.ts";

/**
 * Waits for the turn of a document that is not known, before it is parsed, validated, planned and compiled. Callers take turns; they are
 * identified by `Callers.shareOf`. Rejects with `Overloaded` if too many documents wait or if the wait takes too long, and with the reason
 * if the work of the present request is cancelled meanwhile.
 */
export type DocumentTurn = (caller: string) => Promise<void>;

/** Time between two documents while no iteration of the event loop is quiet. */
const BUSY_INTERVAL_MS = 5;

/**
 * A short document takes some milliseconds, and a caller may send a different one with every message. So only one is read in an iteration
 * of the event loop, when the loop has nothing else to do, so that light requests come first. A busy process has no such iteration: it reads
 * a document every 5 ms, and those that were read before are planned and compiled first.
 *
 * The gate must have one place. The document that has it waits for its iteration, and leaves the place to the next one.
 */
export function createDocumentTurns(
  { gate, wait }: ObservedGate,
  refuse: (retryMs: number) => Promise<never>,
): DocumentTurn {
  return async (caller) => {
    const release = gate.tryEnter(caller) ?? (await wait(caller, refuse));
    await heavyTurn(BUSY_INTERVAL_MS);
    release();
    const work = currentScope()?.work;
    if (work) throwIfCancelled(work);
  };
}
