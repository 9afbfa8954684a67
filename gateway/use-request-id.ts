import { randomUUID } from "node:crypto";
import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { GraphContext } from "./use-errors.ts";

const HEADER = "x-request-id";

/** The caller's request id where it is a sane one, else a new one. */
export function requestIdOf(header: string | null | undefined): string {
  return header && /^[\w.:-]{1,100}$/.test(header) ? header : randomUUID();
}

/** Gives each request an id, to resolvers and logs by the context and to the caller by `x-request-id`. */
export function useRequestId(): GatewayPlugin<GraphContext> {
  const ids = new WeakMap<object, string>();
  const idOf = (request: { readonly headers: { get(name: string): string | null } } | undefined): string => {
    if (!request) return randomUUID();
    const id = ids.get(request) ?? requestIdOf(request.headers.get(HEADER));
    ids.set(request, id);
    return id;
  };
  return {
    onContextBuilding({ context, extendContext }) {
      extendContext({ requestId: idOf(context.request) });
    },
    onResponse({ request, response }) {
      response.headers.set(HEADER, idOf(request));
    },
  };
}
