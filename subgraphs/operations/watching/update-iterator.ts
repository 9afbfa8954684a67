import type { Failure } from "../../../core/errors/errors.ts";
import type { Operation } from "../operations/types.ts";

/** What a subscriber gets: the state of an operation, or, as the last value, the reason why the subscription ends. */
export type Update = Operation | Failure;

/**
 * The states of operations for one subscriber. If the subscriber reads slowly, the iterator keeps only the newest state with each
 * status of each operation. So no status is skipped, and repeated changes need no more memory.
 */
export interface UpdateIterator extends AsyncIterableIterator<Update> {
  push(operation: Operation): void;
  /** Ends the iterator after the states that are still to be read, and after the failure if one is given. */
  end(failure?: Failure): void;
  return(): Promise<IteratorResult<Update>>;
}

/** `onEnd` is called once: when the reader stops, or when `end` is called. */
export function createUpdateIterator(onEnd: () => void): UpdateIterator {
  const pending = new Map<string, Update>();
  let isOpen = true;
  let wake = () => {};

  const close = () => {
    if (isOpen) onEnd();
    isOpen = false;
    wake();
  };
  const iterator: UpdateIterator = {
    [Symbol.asyncIterator]: () => iterator,
    push(operation) {
      if (!isOpen) return;
      pending.set(`${operation.operationId} ${operation.operationStatus}`, operation);
      wake();
    },
    end(failure) {
      if (isOpen && failure) pending.set("failure", failure);
      close();
    },
    async next() {
      for (;;) {
        for (const [key, value] of pending) {
          pending.delete(key);
          return { done: false, value };
        }
        if (!isOpen) return { done: true, value: undefined };
        await new Promise<void>((done) => {
          wake = done;
        });
      }
    },
    async return() {
      pending.clear();
      close();
      return { done: true, value: undefined };
    },
  };
  return iterator;
}
