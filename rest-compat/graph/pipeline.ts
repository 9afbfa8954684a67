import { parse } from "graphql";
import type { Config } from "../../core/config/config-schema.ts";
import type { RunText } from "../../core/graph/answer-text.ts";
import type { GraphClient, RequestInfo } from "../../core/graph/graph-client.ts";
import { compileCost } from "../../core/graph/operation-cost.ts";
import type { ApiKeys } from "../../core/limits/access/api-keys.ts";
import { type Callers, type CallersConfig, createCallers } from "../../core/limits/access/callers.ts";
import { createKeyRequirements } from "../../core/limits/access/key-requirements.ts";
import { type ChargeCaller, createRateLimit } from "../../core/limits/access/rate-limit.ts";
import { type Admission, type AdmissionConfig, createAdmission } from "../../core/limits/admission/admission.ts";
import { compileCostClass } from "../../core/limits/admission/cost-class.ts";
import { createLocalCounters, type RateCounters } from "../../core/limits/rate-counters.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { OperationRules } from "../../gateway/operation/access.ts";
import { NO_OBSERVERS, type Operation, type RequestedOperation } from "../../gateway/operation/operation.ts";
import type { Pipeline } from "../../gateway/operation/run-operation.ts";
import { executableOf } from "../../gateway/plan/executable.ts";
import { asGraphQLError } from "../../gateway/public-error.ts";
import type { RestOperation } from "./operation.ts";

/** What routes of REST and methods of the node interface need to run their operations and to identify callers. */
export interface RestPipeline extends Pipeline {
  readonly graph: GraphClient;
  readonly callers: Callers;
  readonly charge: ChargeCaller;
  readonly counters: RateCounters;
  /** The clock of rate limits, in milliseconds. */
  readonly nowMs: () => number;
}

export interface PipelineOptions {
  readonly graph: GraphClient;
  readonly config: AdmissionConfig & CallersConfig & Pick<Config, "keyRequirements">;
  readonly logger: Logger;
  /** Limits the operations that run at the same time, shared with the graph. Default: one of this pipeline alone. */
  readonly admission?: Admission | undefined;
  /** Default: counters of this process alone. */
  readonly counters?: RateCounters | undefined;
  /** Default: the API keys of the settings. */
  readonly apiKeys?: ApiKeys | undefined;
  /** The clock of rate limits, in milliseconds. Default: the system's. */
  readonly nowMs?: (() => number) | undefined;
}

/** The graph observes the operations. Errors stay as they are, because REST and a node have their own forms of them. */
export function createRestPipeline({ graph, config, logger, apiKeys, ...options }: PipelineOptions): RestPipeline {
  const { counters = createLocalCounters(), nowMs = Date.now, admission = createAdmission(config, logger) } = options;
  const charge = createRateLimit(counters, nowMs);
  return {
    graph,
    callers: createCallers(config, { apiKeys, charge }),
    charge,
    counters,
    nowMs,
    requirements: createKeyRequirements(config, graph.schema),
    admission,
    observers: NO_OBSERVERS,
    publicError: asGraphQLError,
    subscriptions: null,
  };
}

/**
 * The operation of a route of REST or a method of the node interface, with its rules: the keys that are required for it, and the networks that
 * it reads. `id` names it in the setting `keyRequirements`.
 */
export function createRestOperation(
  id: string,
  { name, document, kind }: RestOperation,
  { graph, requirements, callers }: RestPipeline,
  run: RunText<RequestInfo>,
): Operation {
  const node = parse(document);
  const rules: OperationRules = {
    checkKey: requirements.ofRoute(id, node),
    checkNetworks: callers.requireNetwork,
    // The charge of its requests has a fixed price.
    units: () => 0,
  };
  const executable = executableOf(run);
  return {
    name,
    kind,
    document: node,
    schema: graph.schema,
    characters: document.length,
    costOf: compileCost(graph.schema, node, null),
    costClassOf: compileCostClass(node),
    rules: () => rules,
    formOf: () => executable,
  };
}

/** The sizes of its variables are limited by the route or the method. */
export function requested(operation: Operation, variables: RequestedOperation["variables"]): RequestedOperation {
  return { operation, variables, cost: operation.costOf(variables) };
}
