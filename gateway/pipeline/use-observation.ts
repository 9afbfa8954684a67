import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { type ExecutionArgs, getOperationAST } from "graphql";
import {
  isObserving,
  type ObserveOperation,
  OTHER_OPERATIONS,
  observeOperation,
} from "../../core/observability/observe-graph.ts";
import type { GraphContext } from "./graph-context.ts";
import { type OperationArgs, perOperation } from "./per-operation.ts";

/**
 * Measures and traces operations of callers. Operations of REST are measured where they are prepared. Only the step of admission comes
 * later, so neither the wait for a turn nor refused operations are measured. In metrics, only operations from the list of allowed
 * operations, or from REST in a process of its own, have their names; all others count as `other`.
 */
export function useObservation({ isListed }: { readonly isListed: boolean }): GatewayPlugin<GraphContext> {
  const observerOfKnown = createObservers(true);
  const observerOfOther = createObservers(false);
  const observed = (args: ExecutionArgs): ObserveOperation | null => {
    if (!isObserving()) return null;
    const { client, isOwnOperation = false } = args.contextValue as GraphContext;
    if (isOwnOperation) return null;
    return (isListed || !client ? observerOfKnown : observerOfOther)(args);
  };
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const observe = observed(args);
      if (observe) setExecuteFn((execution) => observe(() => executeFn(execution)));
    },
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      const observe = observed(args);
      if (observe) setSubscribeFn((execution) => observe(() => subscribeFn(execution)));
    },
  };
}

/** Makes observers, one for each name that is shown. `areKnown` is true for operations whose names do not come from callers. */
function createObservers(areKnown: boolean): (args: OperationArgs) => ObserveOperation {
  const byName = new Map<string, ObserveOperation>();
  return perOperation((document, operationName) => {
    const { name, operation = "query" } = getOperationAST(document, operationName) ?? {};
    const shown = (areKnown && name?.value) || OTHER_OPERATIONS;
    const key = `${operation} ${shown}`;
    const observer = byName.get(key) ?? observeOperation(shown, operation);
    byName.set(key, observer);
    return observer;
  });
}
