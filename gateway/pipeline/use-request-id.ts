import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { REQUEST_ID_HEADER, safeRequestId } from "../../core/observability/request-id.ts";
import { callerLeft } from "../../core/observability/request-scope.ts";
import type { GraphContext } from "./graph-context.ts";

/**
 * Gives each request an id: resolvers and logs read it from the context, the caller from `x-request-id`. Also lets resolvers notice
 * that the caller has left.
 */
export function useRequestId(): GatewayPlugin<GraphContext> {
  const ids = new WeakMap<object, string>();
  const idOf = (request: { readonly headers: { get(name: string): string | null } } | undefined): string => {
    if (!request) return safeRequestId(null);
    const id = ids.get(request) ?? safeRequestId(request.headers.get(REQUEST_ID_HEADER));
    ids.set(request, id);
    return id;
  };
  return {
    onContextBuilding({ context, extendContext }) {
      extendContext({ requestId: idOf(context.request), callerLeft: context.callerLeft ?? callerLeft() });
    },
    onResponse({ request, response }) {
      response.headers.set(REQUEST_ID_HEADER, idOf(request));
    },
  };
}
