import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import { operationLimits } from "./limits.ts";
import type { GraphContext } from "./use-errors.ts";

/** Refuses operations that would cost too much before they are planned. */
export function useOperationLimits(): GatewayPlugin<GraphContext> {
  return {
    onValidate({ addValidationRule }) {
      addValidationRule(operationLimits);
    },
  };
}
