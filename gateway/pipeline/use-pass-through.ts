import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { print } from "graphql";
import type { DirectOperation, PassThrough } from "../pass-through.ts";
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
  return {
    onExecute({ executeFn, setExecuteFn }) {
      setExecuteFn((args) => {
        const direct = directOperation(args);
        return direct ? direct(args.variableValues ?? {}, args.contextValue) : executeFn(args);
      });
    },
    onSubscribe({ subscribeFn, setSubscribeFn }) {
      setSubscribeFn((args) => {
        const direct = passThrough.compileSubscription(print(args.document), args.operationName ?? null);
        return direct ? direct(args.variableValues ?? {}, args.contextValue) : subscribeFn(args);
      });
    },
  };
}
