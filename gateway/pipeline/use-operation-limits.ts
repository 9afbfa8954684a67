import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLSchema } from "graphql";
import { checkCost } from "../../core/cost.ts";
import { countRejection } from "../../core/observability/rejections.ts";
import { type CostOf, compileCost } from "../../core/operation-cost.ts";
import type { GraphContext } from "./graph-context.ts";
import { documentSize } from "./limits/document-size.ts";
import { checkListLengths } from "./limits/list-length.ts";
import { checkNesting } from "./limits/nesting.ts";
import { checkTextSize } from "./limits/text-size.ts";
import { literalValues } from "./literal-values.ts";

/** Tokens of a document. The parser counts them, so the validation rules never see a larger document. */
const MAX_TOKENS = 4_000;

/**
 * Refuses operations that are too large, would cost too much or have wrong literals before they are planned, and answers with too much
 * text.
 * The cost of a document is compiled once: the parser's cache gives equal texts the same document.
 */
export function useOperationLimits(): GatewayPlugin<GraphContext> {
  const costOf = createCosts();
  const refused = (args: ExecutionArgs): ExecutionResult | null => {
    const { schema, document, operationName, variableValues, contextValue } = args;
    // REST has a limit of the whole body, and its clients know the limits of the lists themselves.
    const { isOwnOperation } = contextValue as GraphContext;
    const tooLong = variableValues && !isOwnOperation ? checkListLengths(variableValues) : null;
    if (tooLong) return { data: null, errors: [tooLong] };
    const cost = costOf(schema, document, operationName ?? null)(variableValues ?? {});
    const failure = checkCost(cost, (count) => `this operation asks for up to ${count}`);
    if (failure) countRejection("too_complex");
    return failure && { data: null, errors: [failure] };
  };
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => {
        checkNesting(source, MAX_TOKENS);
        return parseFn(source, { ...options, maxTokens: MAX_TOKENS });
      });
    },
    onValidate({ addValidationRule }) {
      addValidationRule(documentSize);
      addValidationRule(literalValues);
    },
    onExecute({ args, setResultAndStopExecution }) {
      const refusal = refused(args);
      if (refusal) return setResultAndStopExecution(refusal);
      return { onExecuteDone: ({ result, setResult }) => limitText(result, setResult) };
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const refusal = refused(args);
      if (refusal) return setResultAndStopExecution(refusal);
      return {
        onSubscribeResult: () => ({ onNext: ({ result, setResult }) => limitText(result, setResult) }),
      };
    },
  };
}

function createCosts(): (schema: GraphQLSchema, document: DocumentNode, operationName: string | null) => CostOf {
  const byDocument = new WeakMap<DocumentNode, Map<string | null, CostOf>>();
  return (schema, document, operationName) => {
    const byName = byDocument.get(document) ?? new Map<string | null, CostOf>();
    byDocument.set(document, byName);
    const cost = byName.get(operationName) ?? compileCost(schema, document, operationName);
    byName.set(operationName, cost);
    return cost;
  };
}

/** Replaces a result with too much text by an error. */
function limitText(result: unknown, setResult: (result: ExecutionResult) => void): void {
  const failure = checkTextSize((result as { readonly data?: unknown } | undefined)?.data);
  if (failure) setResult({ data: null, errors: [failure] });
}
