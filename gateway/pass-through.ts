import { type FetchNode, type PlanNode, QueryPlanner } from "@graphql-hive/router-query-planner";
import { type DocumentNode, type ExecutionResult, type GraphQLSchema, parse, subscribe } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import type { RequestInfo } from "../core/graph-client.ts";
import { isLocal, type LocalSubgraph, type Subgraph } from "./subgraph.ts";

/** An operation that one local subgraph can answer alone, compiled. */
export type DirectOperation = (
  variables: Readonly<Record<string, unknown>>,
  request: RequestInfo,
) => Promise<ExecutionResult>;

/** A subscription that one local subgraph can answer alone. */
export type DirectSubscription = (
  variables: Readonly<Record<string, unknown>>,
  request: RequestInfo,
) => Promise<ExecutionResult | AsyncGenerator<ExecutionResult, void, void>>;

export interface PassThrough {
  /** The schema that callers see, as SDL. */
  readonly consumerSdl: string;
  /** The compiled operation when its plan is one fetch from a local subgraph; null when it takes the general way. */
  compile(document: string, operationName: string | null): DirectOperation | null;
  /** The same for a subscription. */
  subscription(document: string, operationName: string | null): DirectSubscription | null;
}

/**
 * A plan that is one fetch needs no gateway: the subgraph's data is the answer, and running it through the general
 * executor would cost as much again (docs/decisions/004).
 */
export function createPassThrough(supergraph: string, subgraphs: readonly Subgraph[]): PassThrough {
  const planner = new QueryPlanner(supergraph);
  const local = new Map(subgraphs.filter(isLocal).map((subgraph) => [subgraph.name.toLowerCase(), subgraph]));
  return {
    consumerSdl: planner.consumerSchema,
    compile(document, operationName) {
      const fetch = loneFetch(planner, document, operationName);
      const subgraph = fetch && local.get(fetch.serviceName.toLowerCase());
      return subgraph ? compiled(subgraph, fetch.operation) : null;
    },
    subscription(document, operationName) {
      const fetch = loneSubscription(planner, document, operationName);
      const subgraph = fetch && local.get(fetch.serviceName.toLowerCase());
      return subgraph ? subscribed(subgraph, parse(fetch.operation)) : null;
    },
  };
}

function planned(planner: QueryPlanner, document: string, operationName: string | null): PlanNode | null {
  try {
    return planner.plan(document, operationName, new Set(), 0).node ?? null;
  } catch {
    // Introspection is not for planners. The general way knows what to do, or what to say.
    return null;
  }
}

const isPlain = (fetch: FetchNode): boolean => !fetch.inputRewrites && !fetch.outputRewrites;

function loneFetch(planner: QueryPlanner, document: string, operationName: string | null): FetchNode | null {
  const node = planned(planner, document, operationName);
  return node?.kind === "Fetch" && node.operationKind === "query" && isPlain(node) ? node : null;
}

function loneSubscription(planner: QueryPlanner, document: string, operationName: string | null): FetchNode | null {
  const node = planned(planner, document, operationName);
  return node?.kind === "Subscription" && isPlain(node.primary) ? node.primary : null;
}

function subscribed({ schema, context }: LocalSubgraph, document: DocumentNode): DirectSubscription {
  return async (variableValues, request) =>
    subscribe({ schema, document, variableValues, contextValue: context(request) });
}

function compiled({ schema, context }: LocalSubgraph, operation: string): DirectOperation | null {
  const query = compileQuery(schema as GraphQLSchema, parse(operation), undefined, { disableLeafSerialization: false });
  if (!isCompiledQuery(query)) return null;
  return async (variables, request) => query.query(undefined, context(request), variables);
}
