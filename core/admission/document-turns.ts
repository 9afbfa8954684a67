import { countRejection } from "../observability/rejections.ts";
import { currentScope } from "../observability/request-scope.ts";
import { createFairQueue } from "./fair-queue.ts";
import { heavyTurn } from "./heavy-turns.ts";
import { Overloaded } from "./overloaded.ts";

/**
 * Waits for the turn of a document that is not known, before it is parsed, validated, planned and compiled. Callers take turns; they are
 * identified by `Callers.shareOf`. Rejects with `Overloaded` if too many documents wait, and with the reason if the work of the present
 * request is cancelled meanwhile.
 */
export type DocumentTurn = (caller: string) => Promise<void>;

/** Number of documents of one caller that may wait at the same time. */
const MAX_WAITING_OF_CALLER = 500;
/** Number of documents of all callers that may wait at the same time. */
const MAX_WAITING = 2_000;
/** Callers of whom no document waits may make the queue this many times as long. */
const RESERVE = 2;
/** Time between two documents while no iteration of the event loop is quiet. */
const BUSY_INTERVAL_MS = 5;
/** Nobody reads its stack. */
const TOO_MANY = new Overloaded(1);

/**
 * A short document takes some milliseconds, and a caller may send a different one with every message. So only one is read in an iteration
 * of the event loop, when the loop has nothing else to do, so that light requests come first. A busy process has no such iteration: it reads
 * a document every 5 ms, and those that were read before are planned and compiled first.
 */
export function createDocumentTurns(): DocumentTurn {
  const waiting = createFairQueue<() => void>();
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.size > 0) {
      await heavyTurn(BUSY_INTERVAL_MS);
      waiting.take()?.();
    }
    isRunning = false;
  };
  const isFull = (caller: string): boolean => {
    const own = waiting.sizeOf(caller);
    return own >= MAX_WAITING_OF_CALLER || waiting.size >= (own === 0 ? MAX_WAITING * RESERVE : MAX_WAITING);
  };
  return (caller) => {
    if (isFull(caller)) {
      countRejection("overloaded");
      return Promise.reject(TOO_MANY);
    }
    const work = currentScope()?.work;
    return new Promise((resolve, reject) => {
      const onTurn = () => {
        work?.onCancel.delete(onLeft);
        resolve();
      };
      const onLeft = () => {
        if (waiting.remove(caller, onTurn)) reject(work?.reason);
      };
      work?.onCancel.add(onLeft);
      waiting.add(caller, onTurn);
      if (work?.reason) onLeft();
      else if (!isRunning) void run();
    });
  };
}
