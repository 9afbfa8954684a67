import type { GatewayPlugin } from "@graphql-hive/gateway-runtime";
import type { Admission } from "../../core/admission/admission.ts";
import type { Config } from "../../core/config-schema.ts";
import type { Logger } from "../../core/logger.ts";
import type { OpenConnections } from "../open-connections.ts";
import type { OperationList } from "../operation-list.ts";
import type { DirectSubscription, PassThrough } from "../pass-through.ts";
import type { Access } from "./access/operation-access.ts";
import type { GraphContext } from "./graph-context.ts";
import type { KnownDocuments } from "./known-documents.ts";
import type { OperationCosts } from "./operation-cost.ts";
import type { PerOperation } from "./per-operation.ts";
import type { Senders } from "./senders.ts";
import { useAccess } from "./use-access.ts";
import { useAdmission } from "./use-admission.ts";
import { useCaller } from "./use-caller.ts";
import { useDocumentCache } from "./use-document-cache.ts";
import { useEventStreams } from "./use-event-streams.ts";
import { useIntrospection, useNoIntrospection } from "./use-introspection.ts";
import { useMutationOrigin } from "./use-mutation-origin.ts";
import { useNewDocuments } from "./use-new-documents.ts";
import { useNormalisedOperation } from "./use-normalised-operation.ts";
import { useObservation } from "./use-observation.ts";
import { useOperationLimits } from "./use-operation-limits.ts";
import { usePassThrough } from "./use-pass-through.ts";
import {
  useAllowedOperations,
  useAutomaticPersistedQueries,
  useNoPersistedQueries,
} from "./use-persisted-operations.ts";
import { usePublicErrors } from "./use-public-errors.ts";
import { createRefusalSenders, type RefusalSenders, useRefusal } from "./use-refusal.ts";
import { useRequestId } from "./use-request-id.ts";
import { useRequestParameters, useRequiredQuery } from "./use-request-parameters.ts";
import { useSubscriptionRule } from "./use-subscription-rule.ts";
import { useVariableErrors } from "./use-variable-errors.ts";

export interface PipelineOptions {
  readonly passThrough: PassThrough;
  readonly subscriptions: PerOperation<DirectSubscription | null>;
  readonly access: Access;
  readonly connections: OpenConnections;
  readonly admission: Admission;
  readonly documents: KnownDocuments;
  readonly costOf: OperationCosts;
  readonly logger: Logger;
  readonly settings: Config["graphql"];
  /** Null if callers may run any operation. */
  readonly allowedOperations: OperationList | null;
}

/** The steps of every operation, in order. What a step does after execution also happens in this order. */
export function createPipeline(options: PipelineOptions): GatewayPlugin<GraphContext>[] {
  const { passThrough, subscriptions, access, admission, connections, documents, costOf, logger, settings } = options;
  const senders: Senders = new WeakMap();
  const refusalSenders = createRefusalSenders(senders, access.callers);
  return [
    useDocumentCache(documents, refusalSenders),
    useRequestId(),
    useCaller(access, senders),
    useRequestParameters(),
    ...persistedOperations(options, refusalSenders),
    useRequiredQuery(),
    useNewDocuments({ ...refusalSenders, documents, documentTurn: admission.documentTurn }),
    usePublicErrors(logger),
    ...(settings.introspection ? [] : [useNoIntrospection()]),
    useSubscriptionRule(),
    useMutationOrigin(),
    useOperationLimits(costOf),
    useRefusal({ ...refusalSenders, admission, documents, costOf }),
    useEventStreams(connections),
    useAccess({ access, admission, senders, costOf }),
    useNormalisedOperation(passThrough.keyFields),
    usePassThrough(passThrough, subscriptions),
    ...(settings.introspection ? [useIntrospection()] : []),
    useVariableErrors(),
    useObservation({ isListed: options.allowedOperations !== null }),
    useAdmission(admission),
  ];
}

function persistedOperations(
  { settings, allowedOperations }: PipelineOptions,
  senders: RefusalSenders,
): GatewayPlugin<GraphContext>[] {
  if (allowedOperations) return [useAllowedOperations(allowedOperations)];
  return [settings.automaticPersistedQueries ? useAutomaticPersistedQueries(senders) : useNoPersistedQueries()];
}
