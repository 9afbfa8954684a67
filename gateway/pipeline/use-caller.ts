import type { IncomingMessage } from "node:http";
import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { INTERNAL_TOKEN_HEADER, isInternalToken } from "../../core/access/internal-token.ts";
import { FAILURES, Failure } from "../../core/errors.ts";
import { headerPairs } from "../../core/http/headers.ts";
import type { Access } from "./access/operation-access.ts";
import { createOperationCharge } from "./access/operation-charge.ts";
import type { GraphContext } from "./graph-context.ts";
import type { Senders } from "./senders.ts";
import { RETRY_AFTER_SECONDS } from "./use-event-streams.ts";

/**
 * Identifies the caller of an HTTP request, for the access checks and the contexts of the subgraphs. Answers 401 if the API key is
 * unknown, 503 if it cannot be checked, and 429 if the address has used up its limit. Operations of this process and of WebSockets come
 * with the caller in their context. Access of a request with the internal token is not checked.
 */
export function useCaller(
  { callers, internalToken, charge }: Pick<Access, "callers" | "charge" | "internalToken">,
  senders: Senders,
): GatewayPlugin<GraphContext> {
  return {
    onRequest({ request, serverContext, endResponse, fetchAPI }) {
      const { req } = serverContext as { readonly req?: IncomingMessage };
      if (!req) return;
      const limitHeaders: string[] = [];
      try {
        const isCharged =
          internalToken !== null && isInternalToken(request.headers.get(INTERNAL_TOKEN_HEADER), internalToken);
        const client = callers.byKey(req, limitHeaders);
        senders.set(request, { client, req, charge: isCharged ? null : createOperationCharge(client, charge) });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        const { message, code } = error;
        const body = { errors: [{ message, extensions: { code } }] };
        // Nobody knows when the keys can be checked again.
        if (code === "UNAVAILABLE") limitHeaders.push("retry-after", RETRY_AFTER_SECONDS);
        const headers = [...headerPairs(limitHeaders)];
        endResponse(fetchAPI.Response.json(body, { status: FAILURES[code].http, headers }));
      }
    },
    onContextBuilding({ context, extendContext }) {
      const sender = context.request && senders.get(context.request);
      if (!sender) return;
      const { client, req, charge: ownCharge } = sender;
      extendContext({
        ...(client.apiKey ? { caller: client.apiKey.name } : {}),
        ...(ownCharge ? { client, charge: ownCharge, share: () => callers.shareOf(client, req) } : {}),
      });
    },
  };
}
