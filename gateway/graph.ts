import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { GraphQLSchema } from "graphql";
import type { Config } from "../core/config/config-schema.ts";
import type { GraphClient } from "../core/graph/graph-client.ts";
import { type ApiKeys, createApiKeys } from "../core/limits/access/api-keys.ts";
import { type CallersConfig, createCallers } from "../core/limits/access/callers.ts";
import { createKeyRequirements } from "../core/limits/access/key-requirements.ts";
import { createLimitHeaders, type LimitHeadersOf } from "../core/limits/access/limit-headers.ts";
import { createRateLimit } from "../core/limits/access/rate-limit.ts";
import { type Admission, type AdmissionConfig, createAdmission } from "../core/limits/admission/admission.ts";
import { createLocalCounters, type RateCounters } from "../core/limits/rate-counters.ts";
import { nodeInterfaceNetwork } from "../core/networks/node-interface-network.ts";
import type { Logger } from "../core/observability/logger.ts";
import { createOpenConnections } from "./open-connections.ts";
import type { Access } from "./operation/access.ts";
import {
  createAllowedOperations,
  createDocuments,
  createOperationReader,
  createPersistedQueries,
  type DocumentOf,
  withoutPersistedQueries,
} from "./operation/documents.ts";
import { createObservers, type OperationContext } from "./operation/operation.ts";
import { type OperationList, readOperationList } from "./operation/operation-list.ts";
import { type OperationRequest, type Pipeline, runOperation } from "./operation/run-operation.ts";
import { createPlanner } from "./plan/planner.ts";
import type { Subgraph } from "./plan/subgraph.ts";
import { createPreparedOperations } from "./prepared-operations.ts";
import { createPublicErrors } from "./public-error.ts";
import { createOriginCheck } from "./request-origin.ts";
import { createHttpHandler } from "./transports/http.ts";
import { createWebSockets } from "./transports/websocket.ts";
import { createUsageReporting } from "./usage/usage-reporting.ts";

/** The federated graph for clients in this process, over HTTP (with event streams) and over graphql-ws. */
export interface Graph extends Required<GraphClient>, AsyncDisposable {
  /** Plans and compiles all prepared operations. The first operations are then answered as fast as later ones. */
  warmUp(): Promise<void>;
  /** Answers requests to `/graphql`. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Closes WebSockets with code 1001, ends event streams with an error, and refuses new ones: the server is shutting down. */
  endSubscriptions(): void;
  /** Accepts WebSocket connections. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface GraphOptions {
  readonly supergraph: string;
  readonly subgraphs: readonly Subgraph[];
  readonly logger: Logger;
  readonly config: AdmissionConfig &
    CallersConfig &
    Pick<Config, "bodyLimitBytes" | "graphql" | "keyRequirements" | "nodeInterface" | "subscriptions">;
  /** Limits the operations that run at the same time, shared with REST. Default: one of this graph alone. */
  readonly admission?: Admission | undefined;
  /** Default: the API keys of the settings. */
  readonly apiKeys?: ApiKeys | undefined;
  /** Usage of callers, shared with REST. Default: counters of this graph alone. */
  readonly counters?: RateCounters | undefined;
  /** Token that a REST server in another process sends. That server charges callers itself. Default: there is no such server. */
  readonly internalToken?: string | undefined;
  /** The clock of rate limits, in milliseconds. Default: the system's. */
  readonly nowMs?: (() => number) | undefined;
}

/** Builds the gateway over the subgraphs. It sends nothing to a subgraph before the first operation. */
export function createGraph(options: GraphOptions): Graph {
  const { supergraph, subgraphs, logger, config } = options;
  const { graphql: settings, subscriptions } = config;
  const planner = createPlanner(supergraph, subgraphs);
  const { schema, publicSchema } = planner;
  const { access, limitHeadersOf } = accessOf(options, schema);
  const { admission = createAdmission(config, logger) } = options;
  const connections = createOpenConnections(subscriptions);
  const list = settings.allowedOperationsFile === undefined ? null : readOperationList(settings.allowedOperationsFile);
  const operations = { ...access, planner, schema: publicSchema };
  const restOperations = { ...access, planner, schema };
  const observers = createObservers({ isListed: list !== null });
  const usage = createUsageReporting(settings.usageReporting, publicSchema, logger);
  const pipeline: Pipeline = {
    requirements: access.requirements,
    admission,
    observers: usage?.observers(observers) ?? observers,
    publicError: createPublicErrors(logger, !settings.introspection),
    subscriptions: { apiKeys: access.apiKeys, charge: access.charge, connections },
  };
  const documentOf = documentsOf(list, settings);
  const readerOf = (context: OperationContext, maxCharacters?: number) =>
    createOperationReader({
      documentOf,
      documents: createDocuments({
        schema: context.schema,
        allowsIntrospection: settings.introspection,
        gate: admission.document,
        maxCharacters,
      }),
      operations: context,
    });
  const shared = {
    ...access,
    run: (request: OperationRequest) => runOperation(pipeline, request),
    readOperation: readerOf(operations),
    connections,
    logger,
  };
  const webSockets = createWebSockets({
    ...shared,
    isFromOtherOrigin: createOriginCheck(config),
    settings: subscriptions,
  });
  const prepared = createPreparedOperations(restOperations, pipeline.publicError);
  return {
    prepare: prepared.prepare,
    prepareText: prepared.prepareText,
    async warmUp() {
      await prepared.warmUp();
      logger.debug("the graph is prepared for its first operations");
    },
    schema,
    handle: createHttpHandler({
      ...shared,
      readRestOperation: readerOf(restOperations, REST_CHARACTERS),
      limitHeadersOf,
      bodyLimitBytes: config.bodyLimitBytes,
    }),
    endSubscriptions() {
      webSockets.closeAll();
      connections.end();
    },
    upgrade: webSockets.upgrade,
    async [Symbol.asyncDispose]() {
      await webSockets[Symbol.asyncDispose]();
      await usage?.[Symbol.asyncDispose]();
    },
  };
}

/** Characters of the documents of REST that are kept if it runs in another process. All of them have about 30,000. */
const REST_CHARACTERS = 100_000;

function documentsOf(list: OperationList | null, { automaticPersistedQueries }: Config["graphql"]): DocumentOf {
  if (list) return createAllowedOperations(list);
  return automaticPersistedQueries ? createPersistedQueries() : withoutPersistedQueries;
}

function accessOf(
  { config, apiKeys = createApiKeys(config), ...options }: GraphOptions,
  schema: GraphQLSchema,
): { readonly access: Access; readonly limitHeadersOf: LimitHeadersOf } {
  const { counters = createLocalCounters(), internalToken = null, nowMs = Date.now } = options;
  const charge = createRateLimit(counters, nowMs);
  const callers = createCallers(config, { apiKeys, charge });
  return {
    access: {
      internalToken,
      apiKeys,
      callers,
      nodeNetwork: nodeInterfaceNetwork(config),
      charge,
      requirements: createKeyRequirements(config, schema),
    },
    limitHeadersOf: createLimitHeaders(callers.byKey, counters, nowMs),
  };
}
