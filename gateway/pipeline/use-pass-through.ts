import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { type DocumentNode, print } from "graphql";
import type { DirectOperation, PassThrough } from "../pass-through.ts";
import type { GraphContext } from "./graph-context.ts";

/**
 * Runs an operation that one local subgraph can answer directly on that subgraph. The parser's cache gives equal texts the
 * same document, so a compiled operation lives exactly as long as its document.
 */
export function usePassThrough(passThrough: PassThrough): GatewayPlugin<GraphContext> {
  const byDocument = new WeakMap<DocumentNode, Map<string | null, DirectOperation | null>>();
  const directOperation = (document: DocumentNode, operationName: string | null): DirectOperation | null => {
    const byName = byDocument.get(document) ?? new Map<string | null, DirectOperation | null>();
    byDocument.set(document, byName);
    const known = byName.get(operationName);
    if (known !== undefined) return known;
    const compiled = passThrough.compile(print(document), operationName);
    byName.set(operationName, compiled);
    return compiled;
  };
  return {
    onExecute({ args, setExecuteFn }) {
      const direct = directOperation(args.document, args.operationName ?? null);
      if (direct) setExecuteFn(({ variableValues, contextValue }) => direct(variableValues ?? {}, contextValue));
    },
    onSubscribe({ args, setSubscribeFn }) {
      const direct = passThrough.compileSubscription(print(args.document), args.operationName ?? null);
      if (direct) setSubscribeFn(({ variableValues, contextValue }) => direct(variableValues ?? {}, contextValue));
    },
  };
}
