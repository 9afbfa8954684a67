import type { IncomingMessage } from "node:http";
import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { Caller } from "../../core/access/callers.ts";
import { INTERNAL_TOKEN_HEADER, isInternalToken } from "../../core/access/internal-token.ts";
import { FAILURES, Failure } from "../../core/errors.ts";
import type { GraphContext } from "./graph-context.ts";
import type { Access } from "./use-access.ts";

interface Sender {
  readonly client: Caller;
  readonly req: IncomingMessage;
}

/**
 * Identifies the caller of an HTTP request, for the access checks and the contexts of the subgraphs. Answers 401 if the API key is
 * unknown, 503 if it cannot be checked, and 429 if the address has used up its limit. Operations of this process and of WebSockets come
 * with the caller in their context. Access of a request with the internal token is not checked.
 */
export function useCaller({
  callers,
  internalToken,
}: Pick<Access, "callers" | "internalToken">): GatewayPlugin<GraphContext> {
  const senders = new WeakMap<object, Sender>();
  return {
    onRequest({ request, serverContext, endResponse, fetchAPI }) {
      const { req } = serverContext as { readonly req?: IncomingMessage };
      if (!req) return;
      const limitHeaders: string[] = [];
      try {
        senders.set(request, { client: callers.byKey(req, limitHeaders), req });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const { message, code } = error;
        const body = { errors: [{ message, extensions: { code } }] };
        const headers: [string, string][] = [];
        for (let at = 0; at < limitHeaders.length; at += 2)
          headers.push([limitHeaders[at] as string, limitHeaders[at + 1] as string]);
        endResponse(fetchAPI.Response.json(body, { status: FAILURES[code].http, headers }));
      }
    },
    onContextBuilding({ context, extendContext }) {
      const sender = context.request && senders.get(context.request);
      if (!sender) return;
      const { client, req } = sender;
      const isCharged =
        internalToken !== null && isInternalToken(context.request.headers.get(INTERNAL_TOKEN_HEADER), internalToken);
      extendContext({
        ...(client.apiKey ? { caller: client.apiKey.name } : {}),
        ...(isCharged ? {} : { client, share: () => callers.shareOf(client, req) }),
      });
    },
  };
}
