import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { Logger } from "../../core/logger.ts";
import type { PassThrough } from "../pass-through.ts";
import type { GraphContext } from "./graph-context.ts";
import { type Access, useAccess } from "./use-access.ts";
import { useCaller } from "./use-caller.ts";
import { useIntrospection } from "./use-introspection.ts";
import { useNormalisedOperation } from "./use-normalised-operation.ts";
import { useOperationLimits } from "./use-operation-limits.ts";
import { usePassThrough } from "./use-pass-through.ts";
import { usePublicErrors } from "./use-public-errors.ts";
import { useRequestId } from "./use-request-id.ts";
import { useRequestParameters } from "./use-request-parameters.ts";
import { useSubscriptionRule } from "./use-subscription-rule.ts";
import { useVariableErrors } from "./use-variable-errors.ts";

/** The steps of every operation, in order. What a step does after execution also happens in this order. */
export function createPipeline(
  passThrough: PassThrough,
  access: Access,
  logger: Logger,
): GatewayPlugin<GraphContext>[] {
  return [
    useRequestId(),
    useCaller(access),
    useRequestParameters(),
    usePublicErrors(logger),
    useSubscriptionRule(),
    useOperationLimits(),
    useAccess(access),
    useNormalisedOperation(),
    usePassThrough(passThrough),
    useIntrospection(),
    useVariableErrors(),
  ];
}
