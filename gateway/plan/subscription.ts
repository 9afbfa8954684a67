import { createSourceEventStream, type DocumentNode, type ExecutionResult, execute } from "graphql";
import { oncePer } from "../../core/async/once.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import type { Variables } from "../../core/graph/graph-document.ts";
import { CALLER_HEADER } from "../../core/limits/access/api-keys.ts";
import { inSpan } from "../../core/observability/observe.ts";
import { REQUEST_ID_HEADER } from "../../core/observability/request-id.ts";
import { receivedResult } from "../public-error.ts";
import { errorsInLiterals, locatedIn } from "./fetch.ts";
import { forwardedHeaders } from "./remote-subgraph.ts";
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

/**
 * Callers whose forwarded headers are equal share a connection, so each subscription has what are headers of other requests. JSON omits an
 * undefined caller.
 */
function remoteSubscription(
  subgraph: RemoteSubgraph,
  query: string,
  locate: ReturnType<typeof locatedIn>,
): SubgraphSubscription {
  const connectionFor = connectionsTo(subgraph);
  return {
    async start(variables, info) {
      const caller = subgraph.isExternal ? undefined : info.caller;
      const extensions = { [REQUEST_ID_HEADER]: info.requestId, [CALLER_HEADER]: caller };
      const subscribe = connectionFor(forwardedHeaders(subgraph, info));
      return subscribe({ query, variables: { ...variables }, extensions });
    },
    eventOf(said) {
      const event = receivedResult(said as ExecutionResult, subgraph.isExternal);
      return event.errors ? { ...event, errors: event.errors.map(locate) } : event;
    },
  };
}

type ConnectionFor = (headers: Readonly<Record<string, string>>) => RemoteSubscriptions;

/** The connections to a subgraph, which all operations share: one for the callers with the same forwarded headers. */
const connectionsTo = oncePer((subgraph: RemoteSubgraph): ConnectionFor => {
  const byHeaders = new Map<string, RemoteSubscriptions>();
  return (headers) => {
    const key = JSON.stringify(headers);
    const open = byHeaders.get(key);
    if (open) return open;
    const opened = createRemoteSubscriptions(subgraph, headers, () => byHeaders.delete(key));
    byHeaders.set(key, opened);
    return opened;
  };
});
