import {
  isObserving,
  type ObserveOperation,
  OTHER_OPERATIONS,
  observeOperation,
} from "../../core/observability/observe-graph.ts";
import type { Operation } from "./operation.ts";

/** Measures and traces operations. */
export interface Observers {
  /** `sender` is null for REST in a process of its own. */
  of(operation: Operation, sender: object | null): ObserveOperation;
}

/**
 * In metrics, only operations from the list of allowed operations, or from REST in a process of its own, have their names: a name that a
 * caller chooses would create a new series. All others count as `other`.
 */
export function createObservers({ isListed }: { readonly isListed: boolean }): Observers {
  const byName = new Map<string, ObserveOperation>();
  return {
    of({ kind, node }, sender) {
      if (!isObserving()) return unobserved;
      const name = (isListed || !sender) && node.name ? node.name.value : OTHER_OPERATIONS;
      const key = `${kind} ${name}`;
      const observer = byName.get(key) ?? observeOperation(name, kind);
      byName.set(key, observer);
      return observer;
    },
  };
}

const unobserved: ObserveOperation = (run) => run();
