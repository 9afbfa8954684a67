import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { ApiKeys } from "../../core/access/api-keys.ts";
import { FAILURES, Failure } from "../../core/errors.ts";
import type { GraphContext } from "./graph-context.ts";

/**
 * Identifies the caller of an HTTP request by its API key, for the contexts of the subgraphs. Answers 401 if the key is
 * unknown. Operations of this process and of WebSockets come with the caller in their context.
 */
export function useCaller(apiKeys: ApiKeys): GatewayPlugin<GraphContext> {
  const callers = new WeakMap<object, string>();
  return {
    onRequest({ request, endResponse, fetchAPI }) {
      try {
        const apiKey = apiKeys.identify((name) => request.headers.get(name));
        if (apiKey) callers.set(request, apiKey.name);
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const { message, code } = error;
        const body = { errors: [{ message, extensions: { code } }] };
        endResponse(fetchAPI.Response.json(body, { status: FAILURES[code].http }));
      }
    },
    onContextBuilding({ context, extendContext }) {
      const caller = context.request && callers.get(context.request);
      if (caller) extendContext({ caller });
    },
  };
}
