import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { print } from "graphql";
import type { DirectOperation, PassThrough } from "../pass-through.ts";
import type { GraphContext } from "./graph-context.ts";
import { perOperation } from "./per-operation.ts";

/** Runs an operation that one local subgraph can answer directly on that subgraph. */
export function usePassThrough(passThrough: PassThrough): GatewayPlugin<GraphContext> {
  const directOperation = perOperation<DirectOperation | null>(
    (document, operationName) => passThrough.find(print(document), operationName)?.compile() ?? null,
  );
  return {
    onExecute({ args, setExecuteFn }) {
      const direct = directOperation(args);
      if (direct) setExecuteFn(({ variableValues, contextValue }) => direct(variableValues ?? {}, contextValue));
    },
    onSubscribe({ args, setSubscribeFn }) {
      const direct = passThrough.compileSubscription(print(args.document), args.operationName ?? null);
      if (direct) setSubscribeFn(({ variableValues, contextValue }) => direct(variableValues ?? {}, contextValue));
    },
  };
}
