import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { ExecutionArgs, ExecutionResult } from "graphql";
import { checkCost } from "../../core/cost.ts";
import { countRejection } from "../../core/observability/rejections.ts";
import type { GraphContext } from "./graph-context.ts";
import { checkDocumentLength, checkDocumentSize } from "./limits/document-size.ts";
import { checkListLengths } from "./limits/list-length.ts";
import { checkNesting } from "./limits/nesting.ts";
import { checkTextSize } from "./limits/text-size.ts";
import { literalValues } from "./literal-values.ts";
import type { OperationCosts } from "./operation-cost.ts";

/** Maximum number of tokens of a document. The parser counts them, so the validation rules never see a larger document. */
const MAX_TOKENS = 4_000;

/**
 * Refuses operations that are too large, would cost too much or have wrong literals, before they are planned. Replaces answers with too
 * much text by an error.
 */
export function useOperationLimits(costOf: OperationCosts): GatewayPlugin<GraphContext> {
  const refused = (args: ExecutionArgs): ExecutionResult | null => {
    const { variableValues, contextValue } = args;
    // REST limits the whole body, and its clients expect the error of the own limit of each list.
    const { isOwnOperation } = contextValue as GraphContext;
    const tooLong = variableValues && !isOwnOperation ? checkListLengths(variableValues) : null;
    if (tooLong) return { data: null, errors: [tooLong] };
    const cost = costOf(args)(variableValues ?? {});
    const failure = checkCost(cost, (count) => `this operation asks for up to ${count}`);
    if (failure) countRejection("too_complex");
    return failure && { data: null, errors: [failure] };
  };
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => {
        checkDocumentLength(source);
        checkNesting(source, MAX_TOKENS);
        const document = parseFn(source, { ...options, maxTokens: MAX_TOKENS });
        checkDocumentSize(document);
        return document;
      });
    },
    onValidate({ addValidationRule }) {
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

/** Replaces a result with too much text by an error. */
function limitText(result: unknown, setResult: (result: ExecutionResult) => void): void {
  const failure = checkTextSize((result as { readonly data?: unknown } | undefined)?.data);
  if (failure) setResult({ data: null, errors: [failure] });
}
