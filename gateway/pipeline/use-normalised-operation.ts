import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
} from "graphql";
import { Failure } from "../../core/errors.ts";
import { createSharedCache } from "../../core/shared-cache.ts";
import { conditionVariables, type NormalisedOperation, needsNormalising, normalise } from "../normalise.ts";
import { restoreNames } from "../response-names.ts";
import type { GraphContext } from "./graph-context.ts";
import { perOperation } from "./per-operation.ts";

/**
 * Maximum number of normalised forms that are kept for an operation: one for each combination of condition values, which callers
 * choose.
 */
const MAX_FORMS = 20;

type Normaliser = (args: ExecutionArgs) => NormalisedOperation | readonly GraphQLError[];

/** Plans and runs operations without `@skip`, `@include`, unsafe aliases and large integers; see `normalise`. */
export function useNormalisedOperation(keyFields: ReadonlySet<string>): GatewayPlugin<GraphContext> {
  const normaliserOf = perOperation<Normaliser | null>((document, operationName) =>
    makeNormaliser(document, operationName, keyFields),
  );
  const apply = (args: ExecutionArgs): NormalisedOperation | ExecutionResult | null => {
    const normalised = normaliserOf(args)?.(args) ?? null;
    if (normalised === null) return null;
    if (!("names" in normalised)) return { errors: normalised };
    if (!normalised.document) return { data: {} };
    args.document = normalised.document;
    return normalised;
  };
  return {
    onExecute({ args, setResultAndStopExecution }) {
      const applied = apply(args);
      if (!applied) return undefined;
      if (!("names" in applied)) return setResultAndStopExecution(applied);
      return {
        onExecuteDone: ({ result, setResult }) => setResult(restoreNames(result as ExecutionResult, applied.names)),
      };
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const applied = apply(args);
      if (!applied) return undefined;
      if (!("names" in applied)) return setResultAndStopExecution(applied);
      return {
        onSubscribeResult: () => ({
          onNext: ({ result, setResult }) => setResult(restoreNames(result, applied.names)),
        }),
      };
    },
  };
}

function makeNormaliser(
  document: DocumentNode,
  operationName: string | null,
  keyFields: ReadonlySet<string>,
): Normaliser | null {
  const operation = needsNormalising(document, keyFields) ? getOperationAST(document, operationName) : null;
  return operation ? createNormaliser(document, operation, keyFields) : null;
}

function createNormaliser(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  keyFields: ReadonlySet<string>,
): Normaliser {
  const conditions = conditionVariables(document);
  const forms = createSharedCache<NormalisedOperation>({ maxSize: MAX_FORMS, sizeOf: () => 1 });
  return ({ schema, variableValues, contextValue }) => {
    const { coerced, errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
    if (errors) return errors;
    const values = conditions.map((name) => coerced[name]);
    const key = values.join();
    const known = forms.get(key);
    if (known) return known;
    const form = normaliseOrRefuse(document, operation, coerced, keyFields);
    if ("names" in form) forms.add(key, form, (contextValue as GraphContext).share?.() ?? null);
    return form;
  };
}

/**
 * Returns `INVALID_PARAMETER` if normalising throws a `GraphQLError`, for example because the variable of a condition is
 * null.
 */
function normaliseOrRefuse(...args: Parameters<typeof normalise>): NormalisedOperation | readonly GraphQLError[] {
  try {
    return normalise(...args);
  } catch (error) {
    if (error instanceof GraphQLError) return [new Failure("INVALID_PARAMETER", error.message, error)];
    throw error;
  }
}
