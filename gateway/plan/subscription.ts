import { createSourceEventStream, type ExecutionResult, execute, parse } from "graphql";
import { CALLER_HEADER } from "../../core/access/api-keys.ts";
import { sourceInTurns } from "../../core/admission/event-turns.ts";
import { graphQLErrorOf } from "../../core/errors.ts";
import { eventsUntilFailure, isEventStream, mapEvents } from "../../core/event-stream.ts";
import type { RequestInfo } from "../../core/graph-client.ts";
import { REQUEST_ID_HEADER } from "../../core/observability/request-id.ts";
import { inSpan } from "../../core/observability/tracing.ts";
import { asGraphQLError } from "../public-error.ts";
import { errorsInLiterals, type Variables } from "./fetch.ts";
import { locatedIn } from "./located-error.ts";
import { createRemoteSubscriptions, type RemoteSubscriptions } from "./remote-subscriptions.ts";
import { isLocal, type LocalSubgraph, type RemoteSubgraph, type Subgraph } from "./subgraph.ts";

/** Starts a subscription. Returns its events, or a result if the subgraph refuses it. */
export type Subscribe = (
  variables: Variables,
  request: RequestInfo,
) => Promise<AsyncIterable<ExecutionResult> | ExecutionResult>;

/** Compiles the subscription of a plan. */
export function compileSubscribe(subgraph: Subgraph, operation: string): Subscribe {
  const subscribe = isLocal(subgraph) ? localSubscribe(subgraph, operation) : remoteSubscribe(subgraph, operation);
  return (variables, request) => inSpan("subgraph", `subgraph ${subgraph.name}`, () => subscribe(variables, request));
}

/** Each event of the source is the root value of one execution. */
function localSubscribe({ schema, context }: LocalSubgraph, operation: string): Subscribe {
  const document = parse(operation);
  const errors = errorsInLiterals(schema, document);
  return async (variableValues, request) => {
    if (errors) return { errors };
    const args = { schema, document, variableValues, contextValue: context(request) };
    const source = await createSourceEventStream(args);
    if (!isEventStream(source)) return source;
    const events = mapEvents(source, (rootValue) => execute({ ...args, rootValue }));
    return eventsUntilFailure(events, (thrown) => ({ data: null, errors: [graphQLErrorOf(thrown)] }));
  };
}

/** All callers share the connection, so each subscription has what are headers of other requests. JSON omits an undefined caller. */
function remoteSubscribe(subgraph: RemoteSubgraph, query: string): Subscribe {
  const subscribe = connectionTo(subgraph);
  const locate = locatedIn(query);
  const located = (event: ExecutionResult): ExecutionResult =>
    event.errors ? { ...event, errors: event.errors.map((error) => locate(asGraphQLError(error))) } : event;
  return async (variables, { requestId, caller }) => {
    const extensions = { [REQUEST_ID_HEADER]: requestId, [CALLER_HEADER]: caller };
    return sourceInTurns(mapEvents(subscribe({ query, variables: { ...variables }, extensions }), located));
  };
}

const connections = new WeakMap<RemoteSubgraph, RemoteSubscriptions>();

/** The connection to a subgraph, which all operations share. */
function connectionTo(subgraph: RemoteSubgraph): RemoteSubscriptions {
  const connection = connections.get(subgraph) ?? createRemoteSubscriptions(subgraph.url, subgraph.connectionTimes);
  connections.set(subgraph, connection);
  return connection;
}
