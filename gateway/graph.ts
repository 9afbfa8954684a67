import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { ExecutionResult } from "graphql";
import type { Config } from "../core/config/config-schema.ts";
import type { JsonText } from "../core/graph/answer-text.ts";
import type { GraphClient, RequestInfo } from "../core/graph/graph-client.ts";
import type { Variables } from "../core/graph/graph-document.ts";
import { isGraphPath } from "../core/http/graph-path.ts";
import { type ApiKeys, createApiKeys } from "../core/limits/access/api-keys.ts";
import { type CallersConfig, createCallers } from "../core/limits/access/callers.ts";
import { createLimitHeaders, type LimitHeadersOf } from "../core/limits/access/limit-headers.ts";
import { createRateLimit } from "../core/limits/access/rate-limit.ts";
import { type Admission, type AdmissionConfig, createAdmission } from "../core/limits/admission/admission.ts";
import { createLocalCounters, type RateCounters } from "../core/limits/rate-counters.ts";
import { nodeInterfaceNetwork } from "../core/networks/node-interface-network.ts";
import type { Logger } from "../core/observability/logger.ts";
import { createGraphVersion, type GraphVersion, type Supergraph, type VersionOptions } from "./graph-version.ts";
import { createOpenConnections } from "./open-connections.ts";
import type { Access } from "./operation/access.ts";
import {
  createAllowedOperations,
  createPersistedQueries,
  type DocumentOf,
  withoutPersistedQueries,
} from "./operation/documents.ts";
import { createObservers } from "./operation/operation.ts";
import { type OperationList, readOperationList } from "./operation/operation-list.ts";
import type { OperationRequest } from "./operation/run-operation.ts";
import { createPublicErrors } from "./public-error.ts";
import { createOriginCheck } from "./request-origin.ts";
import { createHttpHandler } from "./transports/http.ts";
import { createWebSockets } from "./transports/websocket.ts";
import { createUsageReporting } from "./usage/usage-reporting.ts";

/** The federated graph for clients in this process, over HTTP (with event streams) and over graphql-ws. */
export interface Graph extends Required<GraphClient>, AsyncDisposable {
  /** By which new operations are answered now. */
  readonly current: GraphVersion;
  /**
   * Answers all further operations by another supergraph. Those that run, and subscriptions, go on by the earlier one, and all connections stay
   * open. Rejects if the supergraph cannot be used, or lacks a field of a prepared operation or of the settings; then nothing has changed.
   */
  replace(next: Supergraph): Promise<void>;
  /** Plans and compiles all prepared operations. The first operations are then answered as fast as later ones. */
  warmUp(): Promise<void>;
  /** Answers requests to `/graphql` and `/schema`. */
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Closes WebSockets with code 1001, ends event streams with an error, and refuses new ones: the server is shutting down. */
  endSubscriptions(): void;
  /** Accepts WebSocket connections. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface GraphOptions extends Supergraph {
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
  const { logger, config } = options;
  const { graphql: settings, subscriptions } = config;
  const { access, limitHeadersOf } = accessOf(options);
  const { admission = createAdmission(config, logger) } = options;
  const connections = createOpenConnections(subscriptions);
  const list = settings.allowedOperationsFile === undefined ? null : readOperationList(settings.allowedOperationsFile);
  const observers = createObservers({ isListed: list !== null });
  const usage = createUsageReporting(settings.usageReporting, logger);
  const versionOptions: VersionOptions = {
    config,
    logger,
    access,
    admission,
    documentOf: documentsOf(list, settings),
    pipeline: {
      admission,
      observers: usage?.observers(observers) ?? observers,
      publicError: createPublicErrors(logger, !settings.introspection),
      subscriptions: { apiKeys: access.apiKeys, charge: access.charge, connections },
    },
  };
  let current = createGraphVersion(options, versionOptions);
  const shared = {
    ...access,
    run: (request: OperationRequest) => current.run(request),
    readOperation: (...args: Parameters<GraphVersion["readOperation"]>) => current.readOperation(...args),
    connections,
    logger,
  };
  const webSockets = createWebSockets({
    ...shared,
    isFromOtherOrigin: createOriginCheck(config),
    settings: subscriptions,
  });
  const answerOperation = createHttpHandler({
    ...shared,
    schema: current.publicSchema,
    readRestOperation: (...args) => current.readRestOperation(...args),
    limitHeadersOf,
    bodyLimitBytes: config.bodyLimitBytes,
  });
  const prepared = createReplaceable(() => current);
  return {
    prepare: (document) => prepared.add(({ prepared: operations }) => operations.prepare(document)),
    prepareText: (document, form) => prepared.add(({ prepared: operations }) => operations.prepareText(document, form)),
    async warmUp() {
      await current.prepared.warmUp();
      logger.debug("the graph is prepared for its first operations");
    },
    get current() {
      return current;
    },
    get schema() {
      return current.schema;
    },
    async replace(next) {
      const version = createGraphVersion(next, versionOptions);
      const use = prepared.prepareFor(version);
      await version.prepared.warmUp();
      use();
      current = version;
    },
    handle: (request, response) =>
      isGraphPath(request.url) ? answerOperation(request, response) : current.answerSchema(request, response),
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

type Run<Answer> = (variables: Variables, request: RequestInfo) => Promise<Answer>;

/** Prepared operations that are run by the version that was used last. */
function createReplaceable(current: () => GraphVersion) {
  /** Each prepares its operation for a version, and returns the function that uses it. */
  const prepareFor: ((version: GraphVersion) => () => void)[] = [];
  return {
    add<Answer extends JsonText | ExecutionResult>(prepare: (version: GraphVersion) => Run<Answer>): Run<Answer> {
      let run = prepare(current());
      prepareFor.push((version) => {
        const next = prepare(version);
        return () => {
          run = next;
        };
      });
      return (variables, request) => run(variables, request);
    },
    prepareFor(version: GraphVersion): () => void {
      const uses = prepareFor.map((prepare) => prepare(version));
      return () => {
        for (const use of uses) use();
      };
    },
  };
}

function documentsOf(list: OperationList | null, { automaticPersistedQueries }: Config["graphql"]): DocumentOf {
  if (list) return createAllowedOperations(list);
  return automaticPersistedQueries ? createPersistedQueries() : withoutPersistedQueries;
}

function accessOf({ config, apiKeys = createApiKeys(config), ...options }: GraphOptions): {
  readonly access: Omit<Access, "requirements">;
  readonly limitHeadersOf: LimitHeadersOf;
} {
  const { counters = createLocalCounters(), internalToken = null, nowMs = Date.now } = options;
  const charge = createRateLimit(counters, nowMs);
  const callers = createCallers(config, { apiKeys, charge });
  return {
    access: { internalToken, apiKeys, callers, nodeNetwork: nodeInterfaceNetwork(config), charge },
    limitHeadersOf: createLimitHeaders(callers.byKey, counters, nowMs),
  };
}
