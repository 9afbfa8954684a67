import { randomUUID } from "node:crypto";
import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { GraphContext } from "./graph-context.ts";

export const REQUEST_ID = "x-request-id";

/**
 * Gives each request an id: resolvers and logs read it from the context, the caller from `x-request-id`. Also lets resolvers notice
 * that the caller has left.
 */
export function useRequestId(): GatewayPlugin<GraphContext> {
  const ids = new WeakMap<object, string>();
  const idOf = (request: { readonly headers: { get(name: string): string | null } } | undefined): string => {
    if (!request) return randomUUID();
    const id = ids.get(request) ?? requestIdOf(request.headers.get(REQUEST_ID));
    ids.set(request, id);
    return id;
  };
  return {
    onContextBuilding({ context, extendContext }) {
      const { request, callerLeft = request && (() => request.signal) } = context;
      extendContext({ requestId: idOf(request), callerLeft });
    },
    onResponse({ request, response }) {
      response.headers.set(REQUEST_ID, idOf(request));
    },
  };
}

/** The caller's id if it is safe to write into a log line and a header, else a new one. */
export function requestIdOf(header: string | null): string {
  return header && /^[\w.:-]{1,100}$/.test(header) ? header : randomUUID();
}
