import { createSourceEventStream, type DocumentNode, type ExecutionResult, execute } from "graphql";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import type { Variables } from "../../core/graph/graph-document.ts";
import { CALLER_HEADER } from "../../core/limits/access/api-keys.ts";
import { inSpan } from "../../core/observability/observe.ts";
import { REQUEST_ID_HEADER } from "../../core/observability/request-id.ts";
import { asGraphQLError } from "../public-error.ts";
import { errorsInLiterals, locatedIn } from "./fetch.ts";
import { createRemoteSubscriptions, type RemoteSubscriptions } from "./remote-subscriptions.ts";
import { isLocal, type LocalSubgraph, type RemoteSubgraph, type Subgraph } from "./subgraph.ts";

/** The subscription of a plan at its subgraph. */
export interface SubgraphSubscription {
  /** Starts it. Returns what the subgraph has to say, or a result if the subgraph refuses it. */
  start(variables: Variables, request: RequestInfo): Promise<AsyncIterable<unknown> | ExecutionResult>;
  /** Makes the event of what the subgraph says. */
  eventOf(said: unknown, variables: Variables, request: RequestInfo): Promise<ExecutionResult> | ExecutionResult;
}

/** Compiles the subscription of a plan. */
export function compileSubscription(
  subgraph: Subgraph,
  operation: string,
  document: DocumentNode,
): SubgraphSubscription {
  const compiled = isLocal(subgraph)
    ? localSubscription(subgraph, document)
    : remoteSubscription(subgraph, operation, locatedIn(document));
  const spanName = `subgraph ${subgraph.name}`;
  return { ...compiled, start: (...args) => inSpan("subgraph", spanName, () => compiled.start(...args)) };
}

/** What the source says is the root value of one execution. */
function localSubscription({ schema, context }: LocalSubgraph, document: DocumentNode): SubgraphSubscription {
  const errors = errorsInLiterals(schema, document);
  return {
    async start(variableValues, request) {
      if (errors) return { errors };
      return createSourceEventStream({ schema, document, variableValues, contextValue: context(request) });
    },
    eventOf: (rootValue, variableValues, request) =>
      execute({ schema, document, variableValues, rootValue, contextValue: context(request) }),
  };
}

/** All callers share the connection, so each subscription has what are headers of other requests. JSON omits an undefined caller. */
function remoteSubscription(
  subgraph: RemoteSubgraph,
  query: string,
  locate: ReturnType<typeof locatedIn>,
): SubgraphSubscription {
  const subscribe = connectionTo(subgraph);
  return {
    async start(variables, { requestId, caller }) {
      const extensions = { [REQUEST_ID_HEADER]: requestId, [CALLER_HEADER]: caller };
      return subscribe({ query, variables: { ...variables }, extensions });
    },
    eventOf(said) {
      const event = said as ExecutionResult;
      return event.errors ? { ...event, errors: event.errors.map((error) => locate(asGraphQLError(error))) } : event;
    },
  };
}

const connections = new WeakMap<RemoteSubgraph, RemoteSubscriptions>();

/** The connection to a subgraph, which all operations share. */
function connectionTo(subgraph: RemoteSubgraph): RemoteSubscriptions {
  const connection = connections.get(subgraph) ?? createRemoteSubscriptions(subgraph.url, subgraph.connectionTimes);
  connections.set(subgraph, connection);
  return connection;
}
