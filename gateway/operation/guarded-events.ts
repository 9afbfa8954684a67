import type { ExecutionResult } from "graphql";
import { Failure } from "../../core/errors/errors.ts";
import type { ApiKey, ApiKeys } from "../../core/limits/access/api-keys.ts";

export interface GuardOptions {
  /** Charges an event before it is sent. A failure becomes the last event. Default: events cost nothing. */
  charge?(): Promise<void> | undefined;
  /** Returns the event that is sent in place of one of the source. Default: the same. */
  change?(event: ExecutionResult): ExecutionResult;
  /** Calls the function with the reason when the subscription must end. Returns the function that cancels this. */
  onEnd(call: (reason: Failure) => void): () => void;
}

type Events = AsyncIterableIterator<ExecutionResult>;
type Next = IteratorResult<ExecutionResult>;

/**
 * The events of a subscription until an event cannot be charged or `onEnd` calls its function: then one event with the error,
 * and the end. Not an async generator, which could not end while it waits for an event.
 */
export function guardedEvents(events: AsyncIterable<ExecutionResult>, { charge, change, onEnd }: GuardOptions): Events {
  const source = events[Symbol.asyncIterator]();
  let isDone = false;
  let failure: Failure | null = null;
  /** Ends the wait for an event; null while nobody waits. */
  let settle: ((next: Next) => void) | null = null;
  const stopWatching = onEnd((reason) => {
    failure = reason;
    // If nobody waits, the next call of `next` returns the failure. Perhaps nobody will call it.
    if (settle) settle(last(failure));
    else finish();
  });
  const finish = () => {
    if (isDone) return;
    isDone = true;
    stopWatching();
    // Nobody waits for the end of the source any more.
    source.return?.().then(undefined, () => {});
  };
  const last = (error: Failure): Next => {
    failure = null;
    finish();
    return { done: false, value: { data: null, errors: [error] } };
  };
  const read = async (): Promise<Next> => {
    try {
      const next = await source.next();
      if (next.done) {
        finish();
        return next;
      }
      await charge?.();
      return change ? { done: false, value: change(next.value) } : next;
    } catch (error) {
      if (error instanceof Failure) return last(error);
      finish();
      throw error;
    }
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (failure) return Promise.resolve(last(failure));
      if (isDone) return Promise.resolve(END);
      return new Promise((resolve, reject) => {
        settle = resolve;
        const stopWaiting = () => {
          settle = null;
        };
        read().finally(stopWaiting).then(resolve, reject);
      });
    },
    return() {
      finish();
      return Promise.resolve(END);
    },
  };
}

const END: Next = { done: true, value: undefined };

/** Calls the function when the API key is revoked, if there is one. Returns the function that cancels this. */
export function onRevoked(
  apiKeys: Pick<ApiKeys, "onRevoked">,
  apiKey: ApiKey | null,
  call: (reason: Failure) => void,
): () => void {
  if (!apiKey) return () => {};
  return apiKeys.onRevoked(apiKey.name, () => call(new Failure("UNAUTHENTICATED", "the API key was revoked")));
}
