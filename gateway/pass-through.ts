import { type FetchNode, type PlanNode, QueryPlanner } from "@graphql-hive/router-query-planner";
import { createSourceEventStream, type ExecutionResult, type GraphQLSchema, parse } from "graphql";
import { compileQuery, isCompiledQuery } from "graphql-jit";
import type { RunText, TextOptions, TryText } from "../core/answer-text/answer-text.ts";
import { eventsFrom, isEventStream } from "../core/event-stream.ts";
import type { RequestInfo } from "../core/graph-client.ts";
import { inSpan } from "../core/observability/tracing.ts";
import { once } from "../core/once.ts";
import { isLocal, type LocalSubgraph, type Subgraph } from "./subgraph.ts";

/** An operation that one local subgraph can answer alone, compiled. */
export type DirectOperation = (
  variables: Readonly<Record<string, unknown>>,
  request: RequestInfo,
) => Promise<ExecutionResult>;

/** The same, with the answer as text. */
export type DirectText = RunText<RequestInfo>;

/** A subscription that one local subgraph can answer alone. */
export type DirectSubscription = (
  variables: Readonly<Record<string, unknown>>,
  request: RequestInfo,
) => Promise<ExecutionResult | AsyncIterable<ExecutionResult>>;

/** A query that one local subgraph can answer alone. */
export interface DirectQuery {
  /** Compiles it for the general executor, once. Null if that is not possible. */
  compile(): DirectOperation | null;
  /** Compiles it to the text of its answer. Null if the subgraph cannot write the answer. */
  compileText(options: TextOptions): DirectText | null;
}

export interface PassThrough {
  /** The schema that callers see, as SDL. */
  readonly consumerSdl: string;
  /** The operation if it is a query whose plan is one fetch from a local subgraph, without rewrites; else null. */
  find(document: string, operationName: string | null): DirectQuery | null;
  /** The same for a subscription. */
  compileSubscription(document: string, operationName: string | null): DirectSubscription | null;
}

/**
 * If the plan of a query or subscription is one fetch, the subgraph's data is the answer. Running it through the general executor
 * would double the processor time (docs/decisions/003-pass-through.md).
 */
export function createPassThrough(supergraph: string, subgraphs: readonly Subgraph[]): PassThrough {
  const planner = new QueryPlanner(supergraph);
  const localSubgraphs = new Map(subgraphs.filter(isLocal).map((subgraph) => [subgraph.name.toLowerCase(), subgraph]));
  return {
    consumerSdl: planner.consumerSchema,
    find(document, operationName) {
      const fetch = singleFetch(planner, document, operationName);
      const subgraph = fetch && localSubgraphs.get(fetch.serviceName.toLowerCase());
      return subgraph ? createDirectQuery(subgraph, fetch.operation) : null;
    },
    compileSubscription(document, operationName) {
      const fetch = singleSubscription(planner, document, operationName);
      const subgraph = fetch && localSubgraphs.get(fetch.serviceName.toLowerCase());
      return subgraph ? compileSubscription(subgraph, fetch.operation) : null;
    },
  };
}

function createDirectQuery(subgraph: LocalSubgraph, operation: string): DirectQuery {
  const compile = once(() => compileOperation(subgraph, operation));
  return {
    compile,
    compileText(options) {
      const tryText = subgraph.compileText?.(parse(operation), options);
      return tryText ? directText(subgraph, tryText, compile) : null;
    },
  };
}

function plan(planner: QueryPlanner, document: string, operationName: string | null): PlanNode | null {
  try {
    return planner.plan(document, operationName, new Set(), 0).node ?? null;
  } catch {
    // The planner refuses some operations, such as introspection. The general executor answers them, or names what is wrong.
    return null;
  }
}

const hasNoRewrites = (fetch: FetchNode): boolean => !fetch.inputRewrites && !fetch.outputRewrites;

function singleFetch(planner: QueryPlanner, document: string, operationName: string | null): FetchNode | null {
  const node = plan(planner, document, operationName);
  return node?.kind === "Fetch" && node.operationKind === "query" && hasNoRewrites(node) ? node : null;
}

function singleSubscription(planner: QueryPlanner, document: string, operationName: string | null): FetchNode | null {
  const node = plan(planner, document, operationName);
  return node?.kind === "Subscription" && hasNoRewrites(node.primary) ? node.primary : null;
}

function compileOperation({ name, schema, context }: LocalSubgraph, operation: string): DirectOperation | null {
  const query = compileQuery(schema as GraphQLSchema, parse(operation), undefined, { disableLeafSerialization: false });
  if (!isCompiledQuery(query)) return null;
  const spanName = `subgraph ${name}`;
  const run: DirectOperation = async (variables, request) => query.query(undefined, context(request), variables);
  return (variables, request) => inSpan("subgraph", spanName, () => run(variables, request));
}

/** `compile` makes the general executor, which answers if there is no text. */
function directText(
  { name, context }: LocalSubgraph,
  tryText: TryText,
  compile: () => DirectOperation | null,
): DirectText {
  const spanName = `subgraph ${name}`;
  return async (variables, request) => {
    const answer = await inSpan("subgraph", spanName, () => tryText(variables, context(request)));
    if (answer !== null) return answer;
    const execute = compile();
    if (!execute) throw new Error("an operation that was compiled to text cannot be compiled for the general executor");
    return execute(variables, request);
  };
}

/** Each event of the source is the root value of one execution. Null if the execution cannot be compiled. */
function compileSubscription({ schema, context }: LocalSubgraph, operation: string): DirectSubscription | null {
  const document = parse(operation);
  const query = compileQuery(schema as GraphQLSchema, document, undefined, { disableLeafSerialization: false });
  if (!isCompiledQuery(query)) return null;
  return async (variableValues, request) => {
    const contextValue = context(request);
    const source = await createSourceEventStream({ schema, document, variableValues, contextValue });
    if (!isEventStream(source)) return source;
    return eventsFrom<unknown, ExecutionResult>(source, async (events) => {
      const { done, value } = await events.next();
      return done
        ? { done, value: undefined }
        : { done: false, value: await query.query(value, contextValue, variableValues) };
    });
  };
}
