import { Failure } from "../../../core/errors.ts";
import { isVisible } from "../caller.ts";
import { notFound, parseOperationId } from "../operations/operation-id.ts";
import type { Operation } from "../operations/types.ts";
import type { Hub } from "./hub.ts";
import type { Receive } from "./topics.ts";
import { createUpdateIterator, type UpdateIterator } from "./update-iterator.ts";

/** Subscriptions to operations. Disposing it ends all of them. */
export interface Watching extends AsyncDisposable {
  /**
   * The present state of an operation and each newer one, until it has ended. Throws `NOT_FOUND` if it does not exist, or
   * if the owner may not read it.
   */
  operation(owner: string, operationId: string): Promise<UpdateIterator>;
  /** The present state of an owner's running operations, then each newer state of all its operations. */
  operationsOf(owner: string): Promise<UpdateIterator>;
}

/** Subscriptions over a hub, which is disposed with them. */
export function createWatching(hub: Hub): Watching {
  const iterators = new Set<UpdateIterator>();

  /**
   * An iterator that is registered by `watch`. Of the present states that `begin` reads, it gets those for which `isFirst` is
   * true, before any other.
   */
  async function open(
    watch: (receive: Receive) => () => void,
    begin: () => Promise<readonly Operation[]>,
    isFirst: (operation: Operation) => boolean,
    deliver: (iterator: UpdateIterator, operation: Operation | null) => void,
  ): Promise<UpdateIterator> {
    // States that arrive while the present ones are read: newest by operation.
    const early = new Map<string, Operation>();
    let receive: Receive = (operation) => operation && early.set(operation.operationId, operation);
    const unwatch = watch((operation) => receive(operation));
    const iterator = createUpdateIterator(() => {
      iterators.delete(iterator);
      unwatch();
    });
    iterators.add(iterator);
    try {
      const present = await begin();
      receive = (operation) => deliver(iterator, operation);
      for (const operation of present) {
        const newer = early.get(operation.operationId);
        if (newer && newer.version > operation.version) continue;
        early.delete(operation.operationId);
        if (isFirst(operation)) deliver(iterator, operation);
      }
      for (const operation of early.values()) deliver(iterator, operation);
      return iterator;
    } catch (error) {
      iterator.end();
      throw error;
    }
  }

  return {
    async operation(owner, text) {
      const operationId = parseOperationId(text);
      if (operationId === null) throw notFound(text);
      const begin = async () => {
        const operation = await hub.read(operationId);
        if (!operation || !isVisible(operation, owner)) throw notFound(text);
        return [operation];
      };
      return open(
        (receive) => hub.watchOperation(operationId, receive),
        begin,
        () => true,
        deliverUntilEnd(text),
      );
    },
    operationsOf(owner) {
      return open(
        (receive) => hub.watchOwner(owner, receive),
        () => hub.readOwner(owner),
        isRunning,
        deliverAll,
      );
    },
    async [Symbol.asyncDispose]() {
      for (const iterator of [...iterators]) iterator.end(new Failure("UNAVAILABLE", "the service is shutting down"));
      await hub[Symbol.asyncDispose]();
    },
  };
}

const isRunning = ({ operationStatus }: Operation): boolean => operationStatus === "RUNNING";

const deliverUntilEnd = (operationId: string) => (iterator: UpdateIterator, operation: Operation | null) => {
  if (!operation) return iterator.end(notFound(operationId));
  iterator.push(operation);
  if (!isRunning(operation)) iterator.end();
};

function deliverAll(iterator: UpdateIterator, operation: Operation | null): void {
  if (operation) iterator.push(operation);
}
