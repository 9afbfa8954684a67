import type { FetchNode } from "@graphql-hive/router-query-planner";
import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  parse,
  ValuesOfCorrectTypeRule,
  validate,
} from "graphql";
import { once } from "../../core/async/once.ts";
import { graphQLErrorOf } from "../../core/errors/errors.ts";
import {
  type AnswerForm,
  GRAPHQL_FORM,
  isJsonText,
  type JsonText,
  type TryText,
} from "../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../core/graph/graph-client.ts";
import type { Variables } from "../../core/graph/graph-document.ts";
import { inSpan } from "../../core/observability/observe.ts";
import { noteMissingRoots } from "../../core/work/server-choice.ts";
import { receivedResult } from "../public-error.ts";
import type { DataObject, SupergraphTypes } from "./projection.ts";
import { prepareRemote } from "./remote-subgraph.ts";
import { isLocal, type LocalSubgraph, type RemoteSubgraph, type Subgraph } from "./subgraph.ts";

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
  /** The entities that a subgraph has found, if somebody needs to know. */
  readonly found?: Set<unknown> | undefined;
}

/** Runs a part of a plan. Never rejects: errors are added to those of the run. */
export type Step = (run: Run) => Promise<void>;

/** Lists of representations of entities, by the names of their variables. */
type Representations = Readonly<Record<string, readonly DataObject[]>>;

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

/**
 * Sends an operation to a subgraph. Returns the text of an answer without errors, or a result. Rejects if the subgraph does not answer, or
 * does not answer with a result.
 */
export type Fetch = (variables: Variables, request: RequestInfo) => Promise<JsonText | ExecutionResult>;

/** Compiles a query or a mutation of a plan. A query of a subgraph in this process is compiled to text when it first runs. */
export function compileFetch(subgraph: Subgraph, operation: string, parsed?: DocumentNode): Fetch {
  if (!isLocal(subgraph)) return compileRemote(subgraph, operation);
  const document = parsed ?? parse(operation);
  const text = once(() => subgraph.compileText?.(document, { form: GRAPHQL_FORM, scope: "answer" }) ?? null);
  return compileLocal(subgraph, document, text);
}

/** Compiles a query to the text of the value of its only root field in another form; null if the subgraph cannot write it. */
export function compileValue(subgraph: LocalSubgraph, document: DocumentNode, form: AnswerForm): Fetch | null {
  const text = subgraph.compileText?.(document, { form, scope: "value" });
  return text ? compileLocal(subgraph, document, () => text) : null;
}

/** graphql-js answers operations that are not compiled to text, and those whose text cannot be written, for example because of an error. */
function compileLocal(
  { name, schema, context }: LocalSubgraph,
  document: DocumentNode,
  text: () => TryText | null,
): Fetch {
  const literalErrors = once(() => errorsInLiterals(schema, document));
  const spanName = `subgraph ${name}`;
  const run: Fetch = async (variables, request) => {
    const errors = literalErrors();
    if (errors) return { errors };
    // What the loaders of the context have read is not read again.
    const contextValue = context(request);
    const answer = await text()?.(variables, contextValue);
    if (answer) return answer;
    const result = await execute({ schema, document, variableValues: variables, contextValue });
    noteMissingRoots(Object.values(result.data ?? {}), request.work);
    return result;
  };
  return (variables, request) => inSpan("subgraph", spanName, () => run(variables, request));
}

/** The errors of literals that a subgraph's scalars refuse; null if there are none. The gateway knows most scalars by their names only. */
export function errorsInLiterals(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] | null {
  const errors = validate(schema, document, [ValuesOfCorrectTypeRule]);
  return errors.length > 0 ? errors : null;
}

function compileRemote(subgraph: RemoteSubgraph, operation: string): Fetch {
  const send = prepareRemote(subgraph, operation);
  const spanName = `subgraph ${subgraph.name}`;
  return async (variables, request) => {
    const answer = await inSpan("subgraph", spanName, () => send(variables, request));
    return typeof answer === "string" ? answer : receivedResult(answer, subgraph.isExternal);
  };
}

/** The result of an answer, which is parsed if it is text. */
export function resultOf(answer: JsonText | ExecutionResult): ExecutionResult {
  return isJsonText(answer) ? (JSON.parse(answer.toString()) as ExecutionResult) : answer;
}

/** The same error at another place of the answer. */
export function relocated(error: GraphQLError, path: readonly (string | number)[]): GraphQLError {
  const { message, nodes, source, positions, extensions } = error;
  return new GraphQLError(message, { nodes, source, positions, path, originalError: error, extensions });
}

/** Returns a function that locates an error of an operation: without a path, it belongs to the first field. */
export function locatedIn(operation: DocumentNode): (error: GraphQLError) => GraphQLError {
  const path = firstFieldOf(operation);
  return (error) => (error.path ? error : relocated(error, path));
}

function firstFieldOf({ definitions: [operation] }: DocumentNode): readonly string[] {
  if (operation?.kind !== Kind.OPERATION_DEFINITION) return [];
  const field = operation.selectionSet.selections.find((node): node is FieldNode => node.kind === Kind.FIELD);
  return field ? [field.alias?.value ?? field.name.value] : [];
}
