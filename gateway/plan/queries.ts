import type { PlanNode } from "@graphql-hive/router-query-planner";
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  OperationTypeNode,
  parse,
} from "graphql";
import { GRAPHQL_FORM } from "../../core/answer-text/answer-form.ts";
import type { TextOptions, TryText } from "../../core/answer-text/answer-text.ts";
import { compileGenerally } from "../../core/general-executor.ts";
import { parsedResult, type RequestInfo } from "../../core/graph-client.ts";
import { inSpan } from "../../core/observability/tracing.ts";
import { once } from "../../core/once.ts";
import { prepareRemote, resultOf } from "../remote-subgraph.ts";
import { isLocal, type LocalSubgraph, type RemoteSubgraph, type Subgraph } from "../subgraph.ts";
import { compilePlan } from "./compile-plan.ts";
import type { DirectOperation, DirectQuery, DirectText } from "./direct-query.ts";
import type { FetchedOperation } from "./run.ts";

/** An operation of a valid document, with the schema that callers see. */
interface CallersOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operationName: string | null;
}

export function createLocalQuery(subgraph: LocalSubgraph, operation: string): DirectQuery {
  const compile = once(() => compileOperation(subgraph, operation));
  return {
    compile,
    compileText(options) {
      const tryText = subgraph.compileText?.(parse(operation), options);
      return tryText ? directText(subgraph, tryText, compile) : null;
    },
  };
}

export function createRemoteQuery(subgraph: RemoteSubgraph, operation: string, asked: CallersOperation): DirectQuery {
  const coerced = withCoercedVariables(asked);
  const run = coerced(compileRemoteText(subgraph, operation));
  return {
    compile: () => async (variables, request) => resultOf(await run(variables, request)),
    compileText: (options) => (isWholeAnswer(options) ? run : null),
  };
}

export function createPlannedQuery(
  node: PlanNode,
  subgraphOf: (fetch: FetchedOperation) => Subgraph | undefined,
  asked: CallersOperation,
): DirectQuery | null {
  const { schema, document, operationName } = asked;
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return null;
  const compileFetch = (fetch: FetchedOperation): DirectOperation | null => {
    const subgraph = subgraphOf(fetch);
    if (!subgraph) return null;
    if (isLocal(subgraph)) return compileOperation(subgraph, fetch.operation);
    const run = compileRemoteText(subgraph, fetch.operation);
    return async (variables, request) => resultOf(await run(variables, request));
  };
  const compile = once(() => {
    const run = compilePlan(node, { schema, document, operation, compileFetch });
    return run && withCoercedVariables(asked)(run);
  });
  return {
    compile,
    compileText(options) {
      const run = isWholeAnswer(options) ? compile() : null;
      if (!run) return null;
      return async (variables, request) => {
        const result = await run(variables, request);
        return result.errors ? result : JSON.stringify(result);
      };
    },
  };
}

const isWholeAnswer = ({ form, scope }: TextOptions): boolean => form === GRAPHQL_FORM && scope === "answer";

type Run<Answer> = (variables: Readonly<Record<string, unknown>>, request: RequestInfo) => Promise<Answer>;

/** As many as graphql-js lists. */
const MAX_VARIABLE_ERRORS = 50;

/** Returns the errors of variables that do not fit their types, and adds default values. Local subgraphs do this themselves. */
function withCoercedVariables({ schema, document, operationName }: CallersOperation) {
  const definitions = getOperationAST(document, operationName)?.variableDefinitions ?? [];
  return <Answer>(run: Run<Answer>): Run<Answer | ExecutionResult> =>
    async (variables, request) => {
      const { coerced, errors } = getVariableValues(schema, definitions, variables, { maxErrors: MAX_VARIABLE_ERRORS });
      return errors ? { errors } : run(coerced, request);
    };
}

function compileRemoteText(subgraph: RemoteSubgraph, operation: string): Run<string | ExecutionResult> {
  const send = prepareRemote(subgraph, operation);
  const spanName = `subgraph ${subgraph.name}`;
  return async (variables, request) => {
    const answer = await inSpan("subgraph", spanName, () => send(variables, request));
    return typeof answer === "string" ? answer : parsedResult(answer);
  };
}

function compileOperation({ name, schema, context }: LocalSubgraph, operation: string): DirectOperation | null {
  const execute = compileGenerally(schema, parse(operation));
  if (!execute) return null;
  const spanName = `subgraph ${name}`;
  const run: DirectOperation = async (variables, request) => execute(undefined, context(request), variables);
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
