import { type FetchNode, type PlanNode, QueryPlanner } from "@graphql-hive/router-query-planner";
import {
  buildASTSchema,
  createSourceEventStream,
  type ExecutionResult,
  type GraphQLSchema,
  Kind,
  parse,
} from "graphql";
import { graphQLErrorOf } from "../core/errors.ts";
import { eventsUntilFailure, isEventStream, mapEvents } from "../core/event-stream.ts";
import { compileGenerally } from "../core/general-executor.ts";
import type { RequestInfo } from "../core/graph-client.ts";
import { keyFieldsOf } from "./normalise.ts";
import type { DirectQuery } from "./plan/direct-query.ts";
import { createLocalQuery, createPlannedQuery, createRemoteQuery } from "./plan/queries.ts";
import { type FetchedOperation, hasNoRewrites } from "./plan/run.ts";
import { isLocal, type LocalSubgraph, type Subgraph } from "./subgraph.ts";

/** A subscription that one local subgraph can answer alone. */
export type DirectSubscription = (
  variables: Readonly<Record<string, unknown>>,
  request: RequestInfo,
) => Promise<ExecutionResult | AsyncIterable<ExecutionResult>>;

export interface PassThrough {
  /** The schema that callers see. */
  readonly schema: GraphQLSchema;
  /** See `keyFieldsOf`. */
  readonly keyFields: ReadonlySet<string>;
  /** The operation if it is a query whose plan has no parts that only Hive's executor knows; else null. */
  find(document: string, operationName: string | null): DirectQuery | null;
  /** The same for a subscription that one local subgraph can answer alone. */
  compileSubscription(document: string, operationName: string | null): DirectSubscription | null;
}

/**
 * Plans queries, and compiles their plans. If the plan is one fetch, the subgraph's data is the answer. Running it through the general
 * executor would double the processor time (docs/decisions/003-pass-through.md).
 */
export function createPassThrough(supergraph: string, subgraphs: readonly Subgraph[]): PassThrough {
  const planner = new QueryPlanner(supergraph);
  const schema = publicSchema(planner.consumerSchema);
  const byName = new Map(subgraphs.map((subgraph) => [subgraph.name.toLowerCase(), subgraph]));
  const subgraphOf = ({ serviceName }: FetchedOperation): Subgraph | undefined => byName.get(serviceName.toLowerCase());
  return {
    schema,
    keyFields: keyFieldsOf(supergraph),
    find(text, operationName) {
      const node = plan(planner, text, operationName);
      if (!node) return null;
      const fetch = singleFetch(node);
      const subgraph = fetch && subgraphOf(fetch);
      if (subgraph && isLocal(subgraph)) return createLocalQuery(subgraph, fetch.operation);
      const asked = { schema, document: parse(text, { noLocation: true }), operationName };
      return subgraph
        ? createRemoteQuery(subgraph, fetch.operation, asked)
        : createPlannedQuery(node, subgraphOf, asked);
    },
    compileSubscription(text, operationName) {
      const node = plan(planner, text, operationName);
      const fetch = node && singleSubscription(node);
      const subgraph = fetch && subgraphOf(fetch);
      return subgraph && isLocal(subgraph) ? compileSubscription(subgraph, fetch.operation) : null;
    },
  };
}

/** The schema without the fields of introspection, which the planner lists, but which must not be defined. */
function publicSchema(text: string): GraphQLSchema {
  const document = parse(text, { noLocation: true });
  const definitions = document.definitions.map((node) =>
    node.kind === Kind.OBJECT_TYPE_DEFINITION
      ? { ...node, fields: node.fields?.filter(({ name }) => !name.value.startsWith("__")) ?? [] }
      : node,
  );
  return buildASTSchema({ ...document, definitions }, { assumeValid: true });
}

function plan(planner: QueryPlanner, document: string, operationName: string | null): PlanNode | null {
  try {
    return planner.plan(document, operationName, new Set(), 0).node ?? null;
  } catch {
    // The planner refuses some operations, such as introspection. The general executor answers them, or names what is wrong.
    return null;
  }
}

/** The only fetch of a plan, if its data are the answer. */
function singleFetch(node: PlanNode): FetchNode | null {
  return node.kind === "Fetch" && node.operationKind === "query" && hasNoRewrites(node) ? node : null;
}

function singleSubscription(node: PlanNode): FetchNode | null {
  return node.kind === "Subscription" && hasNoRewrites(node.primary) ? node.primary : null;
}

/** Each event of the source is the root value of one execution. Null if the execution cannot be compiled. */
function compileSubscription({ schema, context }: LocalSubgraph, operation: string): DirectSubscription | null {
  const document = parse(operation);
  const execute = compileGenerally(schema, document);
  if (!execute) return null;
  return async (variableValues, request) => {
    const contextValue = context(request);
    const source = await createSourceEventStream({ schema, document, variableValues, contextValue });
    if (!isEventStream(source)) return source;
    const events = mapEvents(source, (value) => execute(value, contextValue, variableValues));
    return eventsUntilFailure(events, (thrown) => ({ data: null, errors: [graphQLErrorOf(thrown)] }));
  };
}
