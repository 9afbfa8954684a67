import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  validate,
} from "graphql";
import type { SubscribePayload } from "graphql-ws";
import { graphQLErrorOf } from "../../../core/errors/errors.ts";
import { eventsUntilFailure, isEventStream, mapEvents } from "../../../core/graph/event-stream.ts";
import type { RequestInfo } from "../../../core/graph/graph-client.ts";
import { compileCost } from "../../../core/graph/operation-cost.ts";
import { CALLER_HEADER } from "../../../core/limits/access/api-keys.ts";
import { createEventGates } from "../../../core/limits/admission/admission.ts";
import { compileCostClass } from "../../../core/limits/admission/cost-class.ts";
import { runEvent } from "../../../core/limits/admission/turns.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { REQUEST_ID_HEADER } from "../../../core/observability/request-id.ts";
import { createGraphQLWebSocketServer, type GraphQLWebSocketServer } from "../../../core/sockets/graphql-ws-server.ts";
import type { CostClass, Work } from "../../../core/work/work.ts";
import { checkedCaller } from "./caller.ts";
import { publicErrors } from "./public-error.ts";

/** Serves the GraphQL operations of a subgraph over WebSocket. The gateway sends its subscriptions this way. */
export function createSubscriptionServer(
  schema: GraphQLSchema,
  contextOf: (request: RequestInfo) => unknown,
  logger: Logger,
): GraphQLWebSocketServer {
  const gates = createEventGates();
  return createGraphQLWebSocketServer({
    logger,
    // The gateway sends the operations of all its callers over one connection.
    givenRequestId: ({ extensions }) => extensions?.[REQUEST_ID_HEADER],
    run: async (payload, { requestId, work }) => {
      const prepared = prepare(schema, payload);
      if (Array.isArray(prepared)) return prepared;
      const { document, caller } = prepared as Prepared;
      const { variables: variableValues, operationName } = payload;
      const argsFor = (part: Work) => ({
        schema,
        document,
        variableValues,
        operationName,
        contextValue: contextOf({ requestId, caller, work: part }),
      });
      const withPublic = (result: ExecutionResult) => withPublicErrors(result, requestId, logger);
      if (getOperationAST(document, operationName)?.operation !== "subscription")
        return withPublic(await execute(argsFor(work)));
      const source = await createSourceEventStream(argsFor(work));
      if (!isEventStream(source)) return withPublic(source);
      const costClass = costClassOf(schema, document, payload);
      const applicant = { whole: work, caller: caller ?? "", costClass };
      const events = mapEvents(source, (rootValue) =>
        runEvent(gates, applicant, async (part) => execute({ ...argsFor(part), rootValue })),
      );
      const whole = eventsUntilFailure(events, (thrown) => ({ data: null, errors: [graphQLErrorOf(thrown)] }));
      return mapEvents(whole, withPublic);
    },
  });
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

function costClassOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  { operationName = null, variables }: SubscribePayload,
): CostClass | null {
  const cost = compileCost(schema, document, operationName)(variables ?? {});
  return compileCostClass(document)(variables ?? {}, cost);
}

function withPublicErrors(result: ExecutionResult, requestId: string, logger: Logger): ExecutionResult {
  if (!result.errors) return result;
  const nodes = result.errors.map((error) => error.nodes);
  const errors = publicErrors(result.errors, requestId, logger).map(
    ({ message, path, extensions }, at) => new GraphQLError(message, { path, nodes: nodes[at], extensions }),
  );
  return { ...result, errors };
}
