import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { operationLimits } from "./limits.ts";
import type { GraphContext } from "./use-errors.ts";

/** Words and signs of a document; more are refused before the costly rules see them. */
const MAX_TOKENS = 4_000;

/** Refuses operations that would cost too much before they are planned. */
export function useOperationLimits(): GatewayPlugin<GraphContext> {
  return {
    onParse({ parseFn, setParseFn }) {
      setParseFn((source, options) => parseFn(source, { ...options, maxTokens: MAX_TOKENS }));
    },
    onValidate({ addValidationRule }) {
      addValidationRule(operationLimits);
    },
  };
}
