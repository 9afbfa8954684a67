import { Failure } from "../../../core/errors/errors.ts";
import { isVisible, type ListedOperations } from "../caller.ts";
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
  /**
   * The present state of the running operations of a list, then each newer state of all its operations. Throws `UNAUTHENTICATED` for a list
   * without tokens, which would never have an operation.
   */
  operationsOf(listed: ListedOperations): Promise<UpdateIterator>;
}

/** How a subscription gets its states. */
interface Source {
  /** Registers a receiver of new states; returns a function that removes it. */
  watch(receive: Receive): () => void;
  /** Reads the present states. */
  begin(): Promise<readonly Operation[]>;
  /** True for a present state that the subscriber gets. */
  isFirst(operation: Operation): boolean;
  deliver(iterator: UpdateIterator, operation: Operation | null): void;
}

/** Subscriptions over a hub, which is disposed with them. */
export function createWatching(hub: Hub): Watching {
  const iterators = new Set<UpdateIterator>();

  async function open({ watch, begin, isFirst, deliver }: Source): Promise<UpdateIterator> {
    // Registered before the present states are read, so that no state in between is missed.
    const early = createEarlyStates();
    let receive: Receive = early.add;
    const unwatch = watch((operation) => receive(operation));
    const iterator = createUpdateIterator(() => {
      iterators.delete(iterator);
      unwatch();
    });
    iterators.add(iterator);
    try {
      const present = await begin();
      receive = (operation) => deliver(iterator, operation);
      for (const operation of early.withPresent(present, isFirst)) deliver(iterator, operation);
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
      return open({
        watch: (receive) => hub.watchOperation(operationId, receive),
        async begin() {
          const operation = await hub.read(operationId);
          if (operation && isVisible(operation, owner)) return [operation];
          throw notFound(text);
        },
        isFirst: () => true,
        deliver(iterator, operation) {
          if (!operation) return iterator.end(notFound(text));
          iterator.push(operation);
          if (!isRunning(operation)) iterator.end();
        },
      });
    },
    async operationsOf(listed) {
      if ("tokenHashes" in listed && listed.tokenHashes.size === 0)
        throw new Failure("UNAUTHENTICATED", "an API key or cancelTokens are required to watch operations");
      const owner = "owner" in listed ? listed.owner : "";
      const isListed = ({ cancelTokenHash }: Operation) =>
        "owner" in listed || (cancelTokenHash !== null && listed.tokenHashes.has(cancelTokenHash));
      return open({
        watch: (receive) => hub.watchOwner(owner, receive),
        begin: () => hub.readOwner(owner),
        isFirst: isRunning,
        deliver(iterator, operation) {
          if (operation && isListed(operation)) iterator.push(operation);
        },
      });
    },
    async [Symbol.asyncDispose]() {
      for (const iterator of [...iterators]) iterator.end(new Failure("UNAVAILABLE", "the service is shutting down"));
      await hub[Symbol.asyncDispose]();
    },
  };
}

const isRunning = ({ operationStatus }: Operation): boolean => operationStatus === "RUNNING";

/** States that arrive while the present ones are read: the newest of each operation. */
function createEarlyStates() {
  const newest = new Map<string, Operation>();
  return {
    add(operation: Operation | null) {
      if (operation) newest.set(operation.operationId, operation);
    },
    /** The present states for which `isFirst` is true, unless a newer one has arrived; then those that have arrived. */
    withPresent(present: readonly Operation[], isFirst: Source["isFirst"]): Operation[] {
      const first: Operation[] = [];
      for (const operation of present) {
        const arrived = newest.get(operation.operationId);
        if (arrived && arrived.version > operation.version) continue;
        newest.delete(operation.operationId);
        if (isFirst(operation)) first.push(operation);
      }
      return [...first, ...newest.values()];
    },
  };
}
