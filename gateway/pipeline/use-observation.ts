import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { type DocumentNode, type ExecutionArgs, getOperationAST } from "graphql";
import {
  isObserving,
  type ObserveOperation,
  OTHER_OPERATIONS,
  observeOperation,
} from "../../core/observability/observe-graph.ts";
import { readGauge } from "../../core/observability/registry.ts";
import type { GraphContext } from "./graph-context.ts";

let subscriptions = 0;
readGauge("subscriptions", () => [{ labels: {}, value: subscriptions }]);

/**
 * Measures and traces operations of callers. Operations of REST are measured where they are prepared. Last step of the pipeline, so
 * that it measures what is executed: refused operations are counted by their reason. Only names from a list of allowed operations,
 * or from REST in a process of its own, become names in metrics.
 */
export function useObservation({ isListed }: { readonly isListed: boolean }): GatewayPlugin<GraphContext> {
  const observerOf = createObservers();
  const observed = (args: ExecutionArgs): ObserveOperation | null => {
    if (!isObserving()) return null;
    const { client, isOwnOperation = false } = args.contextValue as GraphContext;
    if (isOwnOperation) return null;
    return observerOf(args.document, args.operationName ?? null, isListed || !client);
  };
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const observe = observed(args);
      if (observe) setExecuteFn((execution) => observe(() => executeFn(execution)));
    },
    onSubscribe({ args, subscribeFn, setSubscribeFn }) {
      const observe = observed(args);
      if (observe) setSubscribeFn((execution) => observe(() => subscribeFn(execution)));
      return {
        onSubscribeResult({ result }) {
          if (!(Symbol.asyncIterator in Object(result))) return undefined;
          subscriptions++;
          let isEnded = false;
          return {
            onEnd() {
              if (!isEnded) subscriptions--;
              isEnded = true;
            },
          };
        },
      };
    },
  };
}

/** Caches observers by document and operation name. The parser's cache gives equal texts the same document. */
function createObservers(): (
  document: DocumentNode,
  operationName: string | null,
  isKnown: boolean,
) => ObserveOperation {
  const byDocument = new WeakMap<DocumentNode, Map<string, ObserveOperation>>();
  const byName = new Map<string, ObserveOperation>();
  const make = (document: DocumentNode, operationName: string | null, isKnown: boolean): ObserveOperation => {
    const { name, operation = "query" } = getOperationAST(document, operationName) ?? {};
    const shown = (isKnown && name?.value) || OTHER_OPERATIONS;
    const key = `${operation} ${shown}`;
    const observer = byName.get(key) ?? observeOperation(shown, operation);
    byName.set(key, observer);
    return observer;
  };
  return (document, operationName, isKnown) => {
    const observers = byDocument.get(document) ?? new Map<string, ObserveOperation>();
    byDocument.set(document, observers);
    const key = `${isKnown} ${operationName}`;
    const observer = observers.get(key) ?? make(document, operationName, isKnown);
    observers.set(key, observer);
    return observer;
  };
}
