import type { FetchNode } from "@graphql-hive/router-query-planner";
import {
  type DocumentNode,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from "graphql";
import { graphQLErrorOf } from "../../core/errors.ts";
import type { RequestInfo } from "../../core/graph-client.ts";
import type { DirectOperation } from "./direct-query.ts";
import type { DataObject } from "./projection.ts";

type Variables = Readonly<Record<string, unknown>>;

/** What a fetch of a plan says about its operation. */
export type FetchedOperation = Pick<FetchNode, "serviceName" | "operation">;

export interface PlanOptions {
  /** The schema that callers see. */
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Null if the fetch cannot be compiled. */
  compileFetch(fetch: FetchedOperation): DirectOperation | null;
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

export type Fetch = (run: Run, representations: Representations) => Promise<ExecutionResult>;

/** Null if the fetch cannot be compiled. A fetch that throws returns the error. */
export function compileFetch(
  node: FetchedOperation & Pick<FetchNode, "variableUsages">,
  options: PlanOptions,
): Fetch | null {
  const { variableUsages = [] } = node;
  const fetch = options.compileFetch(node);
  if (!fetch) return null;
  return async ({ variables, request }, representations) => {
    const selected: Record<string, unknown> = { ...representations };
    for (const name of variableUsages) if (Object.hasOwn(variables, name)) selected[name] = variables[name];
    try {
      return await fetch(selected, request);
    } catch (error) {
      return { errors: [graphQLErrorOf(error)] };
    }
  };
}

/** True if the data of a fetch are used as they are. */
export function hasNoRewrites({
  inputRewrites,
  outputRewrites,
}: Pick<FetchNode, "inputRewrites" | "outputRewrites">): boolean {
  return !inputRewrites?.length && !outputRewrites?.length;
}

/** The same error at another place of the answer. */
export function relocated(error: GraphQLError, path: readonly (string | number)[]): GraphQLError {
  const { message, nodes, source, positions, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError: error, extensions });
}
