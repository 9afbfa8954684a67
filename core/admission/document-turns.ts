import { countRejection } from "../observability/rejections.ts";
import { currentScope } from "../observability/request-scope.ts";
import { createFairQueue } from "./fair-queue.ts";
import { heavyTurn } from "./heavy-turns.ts";
import { Overloaded } from "./overloaded.ts";

/**
 * Waits for the turn of a document that is not known, before it is parsed, validated, planned and compiled. Callers take turns, who are
 * named as by `Callers.shareOf`. Rejects with `Overloaded` if too many documents of the caller wait, and with the reason if the work of
 * the present request is cancelled meanwhile.
 */
export type DocumentTurn = (caller: string) => Promise<void>;

/** Documents of a caller that wait at the same time: about a second of work. */
const MAX_WAITING_OF_CALLER = 500;
/** Nobody reads its stack. */
const TOO_MANY = new Overloaded(1);

/**
 * A short document takes some milliseconds, and a caller may send a different one with every message. In an iteration of the event loop,
 * only one is read, so that light requests run between them. All of them together take one turn of heavy work at a time.
 */
export function createDocumentTurns(): DocumentTurn {
  const waiting = createFairQueue<() => void>();
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (waiting.size > 0) {
      await heavyTurn();
      waiting.take()?.();
    }
    isRunning = false;
  };
  return (caller) => {
    if (waiting.sizeOf(caller) >= MAX_WAITING_OF_CALLER) {
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
