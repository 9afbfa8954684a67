import type { FetchNode } from "@graphql-hive/router-query-planner";
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql";
import { graphQLErrorOf } from "../../core/errors/errors.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import type { Variables } from "../../core/graph/graph-document.ts";
import { compileFetch, resultOf } from "./fetch.ts";
import type { DataObject } from "./projection.ts";
import type { Subgraph } from "./subgraph.ts";
import type { SupergraphTypes } from "./types.ts";

/** What the parts of a plan are compiled with. */
export interface PlanContext {
  /** The schema that callers see. */
  readonly schema: GraphQLSchema;
  readonly types: SupergraphTypes;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Throws if the supergraph has a subgraph that is not configured. */
  subgraphOf(name: string): Subgraph;
}

/** One run of a plan. */
export interface Run {
  readonly variables: Variables;
  readonly request: RequestInfo;
  /** What the subgraphs have returned. */
  readonly data: DataObject;
  readonly errors: GraphQLError[];
}

/** Runs a part of a plan. Never rejects: errors are added to those of the run. */
export type Step = (run: Run) => Promise<void>;

/** Lists of representations of entities, by the names of their variables. */
export type Representations = Readonly<Record<string, readonly DataObject[]>>;

export type RunFetch = (run: Run, representations: Representations) => Promise<ExecutionResult>;

/** A fetch that throws returns the error. */
export function compileRunFetch(
  { serviceName, operation, variableUsages = [] }: Pick<FetchNode, "serviceName" | "operation" | "variableUsages">,
  { subgraphOf }: PlanContext,
  parsed?: DocumentNode,
): RunFetch {
  const fetch = compileFetch(subgraphOf(serviceName), operation, parsed);
  return async ({ variables, request }, representations) => {
    const selected: Record<string, unknown> = { ...representations };
    for (const name of variableUsages) if (Object.hasOwn(variables, name)) selected[name] = variables[name];
    try {
      return resultOf(await fetch(selected, request));
    } catch (error) {
      return { errors: [graphQLErrorOf(error)] };
    }
  };
}
