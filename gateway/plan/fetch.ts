import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  parse,
  ValuesOfCorrectTypeRule,
  validate,
} from "graphql";
import { GRAPHQL_FORM } from "../../core/answer-text/answer-form.ts";
import { isJsonText, type JsonText, type TextOptions } from "../../core/answer-text/answer-text.ts";
import { parsedResult, type RequestInfo } from "../../core/graph-client.ts";
import { inSpan } from "../../core/observability/tracing.ts";
import { once } from "../../core/once.ts";
import { prepareRemote } from "./remote-subgraph.ts";
import { isLocal, type LocalSubgraph, type RemoteSubgraph, type Subgraph } from "./subgraph.ts";

export type Variables = Readonly<Record<string, unknown>>;

/**
 * Sends an operation to a subgraph. Returns the text of an answer without errors, or a result. Rejects if the subgraph does not answer, or
 * does not answer with a result.
 */
export type Fetch = (variables: Variables, request: RequestInfo) => Promise<JsonText | ExecutionResult>;

/** Compiles a query or a mutation of a plan. */
export function compileFetch(subgraph: Subgraph, operation: string): Fetch {
  return isLocal(subgraph)
    ? compileLocal(subgraph, operation, { form: GRAPHQL_FORM, scope: "answer" })
    : compileRemote(subgraph, operation);
}

/**
 * Compiles an operation of a subgraph in this process: to text in this form if it is a query that can be written so. graphql-js answers all
 * other operations, and those whose compiled form finds no text, for example because of an error below a root field.
 */
export function compileLocal(
  { name, schema, context, ...subgraph }: LocalSubgraph,
  operation: string,
  options: TextOptions,
): Fetch {
  const document = parse(operation);
  const compiled = once(() => subgraph.compileText?.(document, options) ?? null);
  const literalErrors = once(() => errorsInLiterals(schema, document));
  const spanName = `subgraph ${name}`;
  const run: Fetch = async (variables, request) => {
    const errors = literalErrors();
    if (errors) return { errors };
    // What the loaders of the context have read is not read again.
    const contextValue = context(request);
    const text = await compiled()?.(variables, contextValue);
    return text ?? execute({ schema, document, variableValues: variables, contextValue });
  };
  return (variables, request) => inSpan("subgraph", spanName, () => run(variables, request));
}

/** The errors of literals that a subgraph's scalars refuse; null if there are none. The gateway knows most scalars by their names only. */
export function errorsInLiterals(schema: GraphQLSchema, document: DocumentNode): readonly GraphQLError[] | null {
  const errors = validate(schema, document, [ValuesOfCorrectTypeRule]);
  return errors.length > 0 ? errors : null;
}

/** True if a subgraph can write the answer of a query as text in a form other than that of GraphQL. */
export function canWrite({ compileText }: LocalSubgraph, operation: string, options: TextOptions): boolean {
  return (compileText?.(parse(operation), options) ?? null) !== null;
}

function compileRemote(subgraph: RemoteSubgraph, operation: string): Fetch {
  const send = prepareRemote(subgraph, operation);
  const spanName = `subgraph ${subgraph.name}`;
  return async (variables, request) => {
    const answer = await inSpan("subgraph", spanName, () => send(variables, request));
    return typeof answer === "string" ? answer : parsedResult(answer);
  };
}

/** The result of an answer, which is parsed if it is text. */
export function resultOf(answer: JsonText | ExecutionResult): ExecutionResult {
  return isJsonText(answer) ? (JSON.parse(answer.toString()) as ExecutionResult) : answer;
}
