import { type ExecutionResult, GraphQLError } from "graphql";
import type { SubscribePayload } from "graphql-ws";
import { REQUEST_ERROR_CODES } from "../core/errors.ts";
import {
  createGraphQLWebSocketServer,
  type GraphQLWebSocketServer,
  type WebSocketOutcome,
} from "../core/graphql-ws-server.ts";
import type { Logger } from "../core/logger.ts";
import { REQUEST_ID, requestIdOf } from "./pipeline/use-request-id.ts";
import { asGraphQLError, publicError } from "./public-error.ts";
import { GRAPHQL_PATH, type Runtime } from "./runtime.ts";

/** Serves operations of every kind over WebSocket, with the pipeline of operations over HTTP. */
export function createWebSockets(runtime: Runtime, logger: Logger): GraphQLWebSocketServer {
  return createGraphQLWebSocketServer({
    logger,
    async run(payload, { headers }) {
      const header = headers[REQUEST_ID];
      const requestId = requestIdOf(typeof header === "string" ? header : null);
      const publicErrors = (errors: readonly GraphQLError[]) =>
        errors.map((error) => publicRequestError(error, requestId, logger));
      try {
        const outcome = await runOperation(runtime, payload, requestId);
        return isRequestError(outcome) ? publicErrors(outcome.errors) : outcome;
      } catch (error) {
        return publicErrors([toGraphQLError(error)]);
      }
    },
  });
}

async function runOperation(runtime: Runtime, payload: SubscribePayload, requestId: string): Promise<WebSocketOutcome> {
  // The runtime reads the supergraph at its first HTTP request. A WebSocket may come before it.
  await runtime.getSchema();
  const { query, variables, operationName, extensions } = payload;
  const params = {
    query,
    ...(variables ? { variables } : {}),
    ...(operationName ? { operationName } : {}),
    ...(extensions ? { extensions } : {}),
  };
  const request = new Request(`http://graph${GRAPHQL_PATH}`, { headers: { [REQUEST_ID]: requestId } });
  const result = await runtime.getResultForParams({ params, request }, { params, request });
  return result ?? [new GraphQLError("the operation has no result")];
}

/** A result without `data`: the operation did not run. */
function isRequestError(
  outcome: WebSocketOutcome,
): outcome is ExecutionResult & { readonly errors: readonly GraphQLError[] } {
  return "errors" in outcome && outcome.errors !== undefined && !("data" in outcome);
}

/** Without the HTTP status that the runtime attaches to errors in the request. */
function publicRequestError(error: GraphQLError, requestId: string, logger: Logger): GraphQLError {
  const code = error.extensions["code"];
  if (!REQUEST_ERROR_CODES.has(code)) return publicError(asGraphQLError(error), requestId, logger);
  return new GraphQLError(error.message, { nodes: error.nodes, extensions: { code } });
}

function toGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  return new GraphQLError(String(error), { originalError: error instanceof Error ? error : null });
}
