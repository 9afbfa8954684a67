import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type ExecutionResult, type GraphQLSchema, getOperationAST, parse } from "graphql";
import { type ApiKeys, createApiKeys } from "../core/access/api-keys.ts";
import { type CallersConfig, createCallers } from "../core/access/callers.ts";
import { createKeyRequirements } from "../core/access/key-requirements.ts";
import { createLimitHeaders, type LimitHeadersOf } from "../core/access/limit-headers.ts";
import { createRateLimit } from "../core/access/rate-limit.ts";
import { type Admission, type AdmissionConfig, createAdmission } from "../core/admission/admission.ts";
import { isJsonText, type JsonText } from "../core/answer-text/answer-text.ts";
import type { Config } from "../core/config-schema.ts";
import { type GraphClient, type Operation, parsedResult, type RequestInfo } from "../core/graph-client.ts";
import type { Logger } from "../core/logger.ts";
import { nodeInterfaceNetwork } from "../core/node-interface-network.ts";
import { OTHER_OPERATIONS, observeOperation } from "../core/observability/observe-graph.ts";
import { once } from "../core/once.ts";
import { createLocalCounters, type RateCounters } from "../core/rate-counters.ts";
import { mapYielding } from "../core/yield-to-event-loop.ts";
import { createDirectQueries } from "./direct/direct-queries.ts";
import { createDirectStreams } from "./direct/direct-streams.ts";
import { createDirectSubscriptions } from "./direct/direct-subscriptions.ts";
import { createHttpHandler } from "./http-handler.ts";
import { createOpenConnections } from "./open-connections.ts";
import { createPassThrough, type PassThrough } from "./pass-through.ts";
import type { Access } from "./pipeline/access/operation-access.ts";
import { createKnownDocuments } from "./pipeline/known-documents.ts";
import { createOperationCosts } from "./pipeline/operation-cost.ts";
import { createSubscriptions } from "./pipeline/use-pass-through.ts";
import type { DirectQuery } from "./plan/direct-query.ts";
import { publicError } from "./public-error.ts";
import { createOriginCheck } from "./request-origin.ts";
import { createRuntime, GRAPHQL_PATH, type Runtime } from "./runtime.ts";
import type { Subgraph } from "./subgraph.ts";
import { createWebSockets } from "./websocket.ts";

/** The federated graph for clients in this process, over HTTP (with SSE) and over graphql-ws. */
export interface Graph extends GraphClient, AsyncDisposable {
  /**
   * Builds what the first operations would otherwise build, such as the plans of all prepared operations. The first operations are then
   * answered as fast as later ones.
   */
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
  /** Runs operations without Hive's executor. Default: all for which this is possible. */
  readonly passThrough?: PassThrough | undefined;
  /** The clock of rate limits, in milliseconds. Default: the system's. */
  readonly nowMs?: (() => number) | undefined;
}

/** Builds the gateway over the subgraphs. It sends nothing to a subgraph before the first operation. */
export function createGraph(options: GraphOptions): Graph {
  const { supergraph, subgraphs, logger, config } = options;
  const { passThrough = createPassThrough(supergraph, subgraphs) } = options;
  const { schema } = passThrough;
  const { access, limitHeadersOf } = accessOf(options, schema);
  const { admission = createAdmission(config, logger) } = options;
  const connections = createOpenConnections(config.subscriptions);
  const subscriptions = createSubscriptions(passThrough);
  const shared = {
    passThrough,
    admission,
    documents: createKnownDocuments(),
    costOf: createOperationCosts(),
    logger,
  };
  const settings = config.graphql;
  const { runtime, warmUp } = createRuntime({
    ...shared,
    subscriptions,
    supergraph,
    subgraphs,
    access,
    connections,
    settings,
  });
  const { apiKeys, callers, charge, nodeNetwork, requirements } = access;
  // The runtime checks all operations if the settings have a list of allowed operations or require API keys.
  const isRuntimeNeeded = settings.allowedOperationsFile !== undefined || !requirements.isEmpty;
  const parts = { ...shared, schema, callers, charge, keyHeaders: config.keyHeaders };
  const direct = isRuntimeNeeded
    ? null
    : createDirectSubscriptions({
        ...parts,
        known: subscriptions.known,
        apiKeys,
        nodeNetwork,
        requirements,
        connections,
      });
  const webSockets = createWebSockets({
    runtime,
    callers,
    charge,
    connections,
    isFromOtherOrigin: createOriginCheck(config),
    settings: config.subscriptions,
    logger,
    direct,
  });
  const operations = createOperations(passThrough, runtime, logger);
  return {
    schema,
    prepare: operations.prepare,
    prepareText: operations.prepareText,
    async warmUp() {
      await operations.warmUp();
      await warmUp();
      logger.debug("the graph is prepared for its first operations");
    },
    handle: createHttpHandler({
      runtime,
      direct: isRuntimeNeeded ? null : createDirectQueries(parts),
      streams: direct && createDirectStreams({ ...parts, subscriptions: direct }),
      bodyRules: { bodyLimitBytes: config.bodyLimitBytes, limitHeadersOf },
      logger,
    }),
    endSubscriptions() {
      webSockets.closeAll();
      connections.end();
    },
    upgrade: webSockets.upgrade,
    async [Symbol.asyncDispose]() {
      await webSockets[Symbol.asyncDispose]();
      await runtime[Symbol.asyncDispose]();
    },
  };
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

type PrepareText = NonNullable<GraphClient["prepareText"]>;

/** Runs an operation without the runtime. */
type Direct<Answer> = (...args: Parameters<Operation>) => Promise<Answer>;

interface Operations {
  readonly prepare: GraphClient["prepare"];
  readonly prepareText: PrepareText;
  /** Plans and compiles all prepared operations. Requests are served meanwhile. */
  warmUp(): Promise<void>;
}

/** Keeps every prepared document. Only Moraine's own documents are prepared, so they are few. */
function createOperations(passThrough: PassThrough, runtime: Runtime, logger: Logger): Operations {
  const operations = new Map<string, Operation>();
  const compilations: (() => unknown)[] = [];
  const run = async <Answer extends JsonText | ExecutionResult>(
    direct: Direct<Answer> | null,
    document: string,
    ...[variables, request]: Parameters<Operation>
  ): Promise<Answer | ExecutionResult> => {
    if (!direct) return runGenerally(runtime, { query: document, variables }, request);
    const answer = await direct(variables, request);
    if (isJsonText(answer) || !answer.errors) return answer;
    const { data, errors } = answer;
    return { data, errors: errors.map((error) => publicError(error, request.requestId, logger)) };
  };
  /** The operations of documents, planned when they are first needed. */
  const directs = new Map<string, () => DirectQuery | null>();
  const directOf = (document: string): (() => DirectQuery | null) => {
    const direct = directs.get(document) ?? once(() => passThrough.find(document, null));
    directs.set(document, direct);
    return direct;
  };
  /** `compile` is called when the operation is first needed, or by `warmUp`. */
  const observedOperation = <Answer extends JsonText | ExecutionResult>(
    document: string,
    compile: (direct: DirectQuery) => Direct<Answer> | null,
  ): Direct<Answer | ExecutionResult> => {
    const { name, operation = "query" } = getOperationAST(parse(document)) ?? {};
    const observed = observeOperation(name?.value ?? OTHER_OPERATIONS, operation);
    const directQuery = directOf(document);
    const compiled = once(() => {
      const direct = directQuery();
      return direct && compile(direct);
    });
    compilations.push(compiled);
    return (variables, request) => observed(() => run(compiled(), document, variables, request));
  };
  return {
    prepare(document) {
      const operation = operations.get(document) ?? observedOperation(document, (direct) => direct.compile());
      operations.set(document, operation);
      return operation;
    },
    prepareText: (document, form) =>
      observedOperation<JsonText | ExecutionResult>(
        document,
        (direct) => direct.compileText({ form, scope: "value" }) ?? direct.compile(),
      ),
    async warmUp() {
      await mapYielding(compilations, (compile) => compile());
    },
  };
}

/** Runs an operation as an HTTP request in this process, with the answer that a caller over HTTP would get. */
async function runGenerally(
  runtime: Runtime,
  body: object,
  { requestId, caller, callerLeft }: RequestInfo,
): Promise<ExecutionResult> {
  const request = {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", "x-request-id": requestId },
    body: JSON.stringify(body),
  };
  // The caller is already identified. Only code in this process can pass a server context.
  const context = { caller, callerLeft, isOwnOperation: true };
  const response = await runtime.fetch(`http://graph${GRAPHQL_PATH}`, request, context);
  return parsedResult((await response.json()) as ExecutionResult);
}
