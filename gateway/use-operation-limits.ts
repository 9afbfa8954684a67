import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { DocumentNode, ExecutionArgs, ExecutionResult, GraphQLSchema } from "graphql";
import { refusalOf } from "../core/cost.ts";
import { type CostOf, compileCost } from "./cost.ts";
import { operationLimits } from "./limits.ts";
import { textRefusal } from "./text-size.ts";
import type { GraphContext } from "./use-errors.ts";

/** Words and signs of a document; more are refused before the costly rules see them. */
const MAX_TOKENS = 4_000;

/**
 * Refuses operations that would cost too much before they are planned: by their document, and by what they ask for with
 * their variables; and answers that became too long. The parser's cache gives equal texts the same document, so each is
 * weighed once.
 */
export function useOperationLimits(): GatewayPlugin<GraphContext> {
  const known = new WeakMap<DocumentNode, Map<string | null, CostOf>>();
  const costOf = (schema: GraphQLSchema, document: DocumentNode, operationName: string | null): CostOf => {
    const byName = known.get(document) ?? new Map<string | null, CostOf>();
    known.set(document, byName);
    const cost = byName.get(operationName) ?? compileCost(schema, document, operationName);
    byName.set(operationName, cost);
    return cost;
  };
  const refused = ({ schema, document, operationName, variableValues }: ExecutionArgs): ExecutionResult | null => {
    const cost = costOf(schema, document, operationName ?? null)(variableValues ?? {});
    const refusal = refusalOf(cost, (count) => `this operation asks for up to ${count}`);
    return refusal && { data: null, errors: [refusal] };
  };
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => parseFn(source, { ...options, maxTokens: MAX_TOKENS }));
    },
    onValidate({ addValidationRule }) {
      addValidationRule(operationLimits);
    },
    onExecute({ args, setResultAndStopExecution }) {
      const refusal = refused(args);
      if (refusal) return setResultAndStopExecution(refusal);
      return { onExecuteDone: ({ result, setResult }) => shorten(result, setResult) };
    },
    onSubscribe({ args, setResultAndStopExecution }) {
      const refusal = refused(args);
      if (refusal) return setResultAndStopExecution(refusal);
      return {
        onSubscribeResult: () => ({ onNext: ({ result, setResult }) => shorten(result, setResult) }),
      };
    },
  };
}

/** An error in place of a result that is too long to be written out. */
function shorten(result: unknown, setResult: (result: ExecutionResult) => void): void {
  const refusal = textRefusal((result as { readonly data?: unknown } | undefined)?.data);
  if (refusal) setResult({ data: null, errors: [refusal] });
}
