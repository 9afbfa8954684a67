import type { IncomingMessage } from "node:http";
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  subscribe,
  validate,
} from "graphql";
import type { SubscribePayload } from "graphql-ws";
import { CALLER_HEADER } from "../../../core/access/api-keys.ts";
import { type CostClass, compileClass } from "../../../core/admission/cost-class.ts";
import { createEventAdmission } from "../../../core/admission/event-admission.ts";
import { eventsInTurns } from "../../../core/admission/event-turns.ts";
import { isEventStream } from "../../../core/event-stream.ts";
import {
  createGraphQLWebSocketServer,
  type GraphQLWebSocketServer,
  type WebSocketOutcome,
} from "../../../core/graphql-ws-server.ts";
import type { Logger } from "../../../core/logger.ts";
import { requestIdOf } from "../../../core/observability/request-id.ts";
import { compileCost } from "../../../core/operation-cost.ts";
import { checkedCaller } from "./caller.ts";
import { publicErrors } from "./public-error.ts";

/** Serves the GraphQL operations of a subgraph over WebSocket. The gateway sends its subscriptions this way. */
export function createSubscriptionServer(
  schema: GraphQLSchema,
  contextOf: (request: IncomingMessage, caller: string | undefined) => unknown,
  logger: Logger,
): GraphQLWebSocketServer {
  const events = createEventAdmission();
  const server = createGraphQLWebSocketServer({
    logger,
    run: async (payload, { request }) => {
      const prepared = prepare(schema, payload);
      if (Array.isArray(prepared)) return prepared;
      const { document, caller } = prepared as Prepared;
      const outcome = await run(schema, document, payload, contextOf(request, caller));
      const costClass = isEventStream(outcome) ? classOf(schema, document, payload) : null;
      if (costClass === null) return outcome;
      const subscriber = { costClass, caller: caller ?? "" };
      return eventsInTurns(outcome as AsyncIterable<ExecutionResult>, subscriber, events);
    },
    beforeSend: (result, request) => withPublicErrors(result, requestIdOf(request), logger),
  });
  return {
    ...server,
    upgrade(request, socket, head) {
      // All operations of a connection have the same id, because their contexts are made from its request.
      requestIdOf(request);
      server.upgrade(request, socket, head);
    },
  };
}

interface Prepared {
  readonly document: DocumentNode;
  readonly caller: string | undefined;
}

/** The document and the caller, or what is wrong with the request. */
function prepare(
  schema: GraphQLSchema,
  { query, operationName, extensions }: SubscribePayload,
): Prepared | GraphQLError[] {
  try {
    const document = parse(query);
    const errors = validate(schema, document);
    if (errors.length > 0) return errors.map((error) => withCode(error, "GRAPHQL_VALIDATION_FAILED"));
    const caller = checkedCaller(extensions?.[CALLER_HEADER]);
    if (getOperationAST(document, operationName)) return { document, caller };
    return [withCode(new GraphQLError("operationName must select one operation"), "OPERATION_RESOLUTION_FAILURE")];
  } catch (error) {
    if (error instanceof GraphQLError) return [withCode(error, error.extensions["code"] ?? "GRAPHQL_PARSE_FAILED")];
    throw error;
  }
}

function withCode({ message, nodes, source, positions }: GraphQLError, code: unknown): GraphQLError {
  return new GraphQLError(message, { nodes, source, positions, extensions: { code } });
}

async function run(
  schema: GraphQLSchema,
  document: DocumentNode,
  { variables, operationName }: SubscribePayload,
  contextValue: unknown,
): Promise<WebSocketOutcome> {
  const args = { schema, document, variableValues: variables, operationName, contextValue };
  const isSubscription = getOperationAST(document, operationName)?.operation === "subscription";
  return isSubscription ? subscribe(args) : execute(args);
}

function classOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName = null, variables }: SubscribePayload,
): CostClass | null {
  return compileClass(document, compileCost(schema, document, operationName))(variables ?? {});
}

function withPublicErrors(result: ExecutionResult, requestId: string, logger: Logger): ExecutionResult {
  if (!result.errors) return result;
  const nodes = result.errors.map((error) => error.nodes);
  const errors = publicErrors(result.errors, requestId, logger).map(
    ({ message, path, extensions }, at) => new GraphQLError(message, { path, nodes: nodes[at], extensions }),
  );
  return { ...result, errors };
}
