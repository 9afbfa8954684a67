import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { type DocumentNode, print } from "graphql";
import type { DirectOperation, PassThrough } from "./pass-through.ts";
import type { GraphContext } from "./use-errors.ts";

/**
 * Sends an operation that one local subgraph can answer straight to it. The parser's cache gives equal texts the same
 * document, so compiled operations live exactly as long as their documents.
 */
export function usePassThrough(passThrough: PassThrough): GatewayPlugin<GraphContext> {
  const known = new WeakMap<DocumentNode, Map<string | null, DirectOperation | null>>();
  const directOf = (document: DocumentNode, operationName: string | null): DirectOperation | null => {
    const byName = known.get(document) ?? new Map<string | null, DirectOperation | null>();
    known.set(document, byName);
    const direct = byName.has(operationName)
      ? byName.get(operationName)
      : passThrough.compile(print(document), operationName);
    byName.set(operationName, direct ?? null);
    return direct ?? null;
  };
  return {
    onExecute({ args, setExecuteFn }) {
      const direct = directOf(args.document, args.operationName ?? null);
      if (direct) setExecuteFn(({ variableValues, contextValue }) => direct(variableValues ?? {}, contextValue));
    },
    onSubscribe({ args, setSubscribeFn }) {
      const direct = passThrough.subscription(print(args.document), args.operationName ?? null);
      if (direct) setSubscribeFn(({ variableValues, contextValue }) => direct(variableValues ?? {}, contextValue));
    },
  };
}
