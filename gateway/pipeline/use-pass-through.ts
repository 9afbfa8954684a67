import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { print } from "graphql";
import type { DirectOperation, DirectSubscription, PassThrough } from "../pass-through.ts";
import type { GraphContext } from "./graph-context.ts";
import { perOperation } from "./per-operation.ts";

/**
 * If one local subgraph can answer an operation alone, runs it there directly. An operation is compiled when it is executed: its first
 * execution takes milliseconds, so it must have its turn.
 */
export function usePassThrough(passThrough: PassThrough): GatewayPlugin<GraphContext> {
  const directOperation = perOperation<DirectOperation | null>(
    (document, operationName) => passThrough.find(print(document), operationName)?.compile() ?? null,
  );
  const directSubscription = perOperation<DirectSubscription | null>((document, operationName) =>
    passThrough.compileSubscription(print(document), operationName),
  );
  return {
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn((args) => {
        const direct = directOperation(args);
        return direct ? direct(args.variableValues ?? {}, args.contextValue) : executeFn(args);
      });
    },
    onSubscribe({ subscribeFn, setSubscribeFn }) {
      setSubscribeFn((args) => {
        const direct = directSubscription(args);
        return direct ? direct(args.variableValues ?? {}, args.contextValue) : subscribeFn(args);
      });
    },
  };
}
