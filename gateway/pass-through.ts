import { QueryPlanner } from "@graphql-hive/router-query-planner";
import { type ExecutionResult, type GraphQLSchema, parse } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import type { RequestInfo } from "../core/graph-client.ts";
import { isLocal, type LocalSubgraph, type Subgraph } from "./subgraph.ts";

/** An operation that one local subgraph can answer alone, compiled. */
export type DirectOperation = (
  variables: Readonly<Record<string, unknown>>,
  request: RequestInfo,
) => Promise<ExecutionResult>;

export interface PassThrough {
  /** The schema that callers see, as SDL. */
  readonly consumerSdl: string;
  /** The compiled operation when its plan is one fetch from a local subgraph; null when it takes the general way. */
  compile(document: string, operationName: string | null): DirectOperation | null;
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
  };
}

function loneFetch(planner: QueryPlanner, document: string, operationName: string | null) {
  try {
    const { node } = planner.plan(document, operationName, new Set(), 0);
    const isPlain =
      node?.kind === "Fetch" && node.operationKind === "query" && !node.inputRewrites && !node.outputRewrites;
    return isPlain ? node : null;
  } catch {
    // Introspection is not for planners. The general way knows what to do, or what to say.
    return null;
  }
}

function compiled({ schema, context }: LocalSubgraph, operation: string): DirectOperation | null {
  const query = compileQuery(schema as GraphQLSchema, parse(operation), undefined, { disableLeafSerialization: false });
  if (!isCompiledQuery(query)) return null;
  return async (variables, request) => query.query(undefined, context(request), variables);
}
