import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  ApolloServer,
  type ApolloServerPlugin,
  type BaseContext,
  HeaderMap,
  type HTTPGraphQLResponse,
} from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from "@apollo/server/plugin/disabled";
import { ApolloServerPluginInlineTrace } from "@apollo/server/plugin/inlineTrace";
import { GraphQLError, type GraphQLSchema, lexicographicSortSchema, OperationTypeNode } from "graphql";
import Negotiator from "negotiator";
import { FAILURES, Failure, type FailureCode, messageOf } from "../../../core/errors/errors.ts";
import { parseJson } from "../../../core/formats/json.ts";
import type { CompileText } from "../../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../../core/graph/graph-client.ts";
import { discardBody, hasBody, readBody } from "../../../core/http/body.ts";
import { refuseUpgrade } from "../../../core/http/closing-answer.ts";
import { workOf } from "../../../core/http/connections.ts";
import { DamagedBody, decodedBody, UnsupportedEncoding } from "../../../core/http/encoded-body.ts";
import { answerNotFound, errorBody, notFoundMessage } from "../../../core/http/error-answer.ts";
import { GRAPHQL_PATH, isGraphPath } from "../../../core/http/graph-path.ts";
import { httpRoute, setRoute } from "../../../core/http/observe-http.ts";
import { bodyOf, writeHead } from "../../../core/http/response.ts";
import { ERRORS_HEADER, NO_ERRORS } from "../../../core/http/subgraph-headers.ts";
import { CALLER_HEADER } from "../../../core/limits/access/api-keys.ts";
import { Overloaded } from "../../../core/limits/admission/overloaded.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { countRejection } from "../../../core/observability/rejections.ts";
import { requestIdOf } from "../../../core/observability/request-id.ts";
import { noteMissingRoots, readAnywhere, readFromPrimary } from "../../../core/work/server-choice.ts";
import { badRequest, checkedCaller } from "./caller.ts";
import { answersCompiledQueries, textOf } from "./compiled-answers.ts";
import { logUnexpected, publicError } from "./public-error.ts";
import { createSubscriptionServer } from "./subscriptions.ts";

const ROUTE = httpRoute(GRAPHQL_PATH);
const MAX_BODY_BYTES = 1 << 20;

/** A subgraph to serve in a process of its own. */
export interface ServedSubgraph {
  readonly schema: GraphQLSchema;
  /** Absent if Apollo Server executes all operations. */
  readonly compileText?: CompileText;
  context(request: RequestInfo): BaseContext;
}

/** Serves one subgraph: queries and mutations over HTTP, subscriptions over graphql-ws, both on `/graphql`. */
export interface SubgraphServer extends AsyncDisposable {
  readonly handler: RequestListener;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes WebSockets with code 1001, and refuses new ones. */
  endSubscriptions(): void;
}

/** Dispose of it before the HTTP server: it ends the subscriptions, whose connections would delay the HTTP server's end. */
export async function createSubgraphServer(subgraph: ServedSubgraph, logger: Logger): Promise<SubgraphServer> {
  const contextOf: ContextOf = (request) =>
    Object.assign(subgraph.context(request), { requestId: request.requestId, work: request.work });
  const subscriptions = createSubscriptionServer(subgraph.schema, contextOf, logger);
  return {
    handler: await createApp(subgraph, contextOf, logger),
    upgrade(request, socket, head) {
      const refuse = (status: number, message: string) =>
        refuseUpgrade(request, socket, { status, body: errorBody(status, message) });
      if (!isGraphPath(request.url)) refuse(404, notFoundMessage(request));
      else if (request.headers.origin !== undefined) {
        // Only a browser sends it. Web pages may open WebSockets to any server, and clients here may name any caller.
        countRejection("other_origin");
        refuse(403, "web pages cannot open WebSockets to a subgraph");
      } else subscriptions.upgrade(request, socket, head);
    },
    endSubscriptions: subscriptions.closeAll,
    [Symbol.asyncDispose]: () => subscriptions[Symbol.asyncDispose](),
  };
}

type ServedContext = BaseContext & Pick<RequestInfo, "requestId" | "work">;
type ContextOf = (request: RequestInfo) => ServedContext;

async function createApp(
  { schema, compileText = () => null }: ServedSubgraph,
  contextOf: ContextOf,
  logger: Logger,
): Promise<RequestListener> {
  const apollo = new ApolloServer<ServedContext>({
    // A copy, because Apollo Server replaces all resolvers of its schema when a request asks for a trace.
    schema: lexicographicSortSchema(schema),
    formatError: publicError,
    introspection: true,
    // Subgraphs have no cookies and no credentials, so a forged request from a browser (CSRF) gains nothing.
    csrfPrevention: false,
    includeStacktraceInErrorResponses: false,
    // Without the line break of Apollo Server: the gateway passes the text on.
    stringifyResult: textOf,
    stopOnTerminationSignals: false,
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      // The schemas have no cache hints. This plugin would run code for each field of each answer.
      ApolloServerPluginCacheControlDisabled(),
      // A router that sends `apollo-federation-include-trace: ftv1` gets a trace, in which errors are masked.
      ApolloServerPluginInlineTrace(),
      READS_MUTATIONS_FROM_PRIMARY,
      answersCompiledQueries(compileText),
      NOTES_MISSING_ROOTS,
      logsUnexpectedErrors(logger),
      NAMES_ANSWERS_WITHOUT_ERRORS,
      ANSWERS_JSON_WITH_200,
    ],
  });
  await apollo.start();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const caller = checkedCaller(request.headers[CALLER_HEADER]);
    const body = await readJson(request);
    const work = workOf(response);
    const execute = () =>
      apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: {
          method: request.method ?? "",
          headers: headerMapOf(request),
          search: /\?.*$/.exec(request.url ?? "")?.[0] ?? "",
          body,
        },
        context: async () => contextOf({ requestId: requestIdOf(request), caller, work }),
      });
    const { status, headers, body: answered } = await readAnywhere(work, execute, hasErrors);
    // Only answers to `@defer` and `@stream`, which the schemas do not have, come in parts.
    if (answered.kind === "chunked") throw new Error("Apollo Server answers in parts");
    headers.set("cache-control", "no-store");
    send(response, status ?? 200, [...headers].flat(), answered.string);
  };
  return (request, response) => {
    if (!isGraphPath(request.url)) return answerNotFound(request, response);
    setRoute(response, ROUTE);
    answer(request, response).catch((error: unknown) => refuse(request, response, error));
  };
}

function headerMapOf({ headers }: IncomingMessage): HeaderMap {
  const map = new HeaderMap();
  for (const name in headers) map.set(name, String(headers[name]));
  return map;
}

/** Undefined if it is not JSON by its type: Apollo Server refuses this. Throws `BAD_REQUEST` if it is not JSON, and as `readBody`. */
async function readJson(request: IncomingMessage): Promise<unknown> {
  if (!hasBody(request) || !IS_JSON.test(request.headers["content-type"] ?? "")) return undefined;
  const body = await decodedBody(request, await readBody(request, MAX_BODY_BYTES), MAX_BODY_BYTES);
  const parsed = parseJson(body.toString());
  if (parsed === undefined) throw badRequest("the body must be JSON");
  return parsed;
}

const IS_JSON = /^\s*application\/json\s*(;|$)/i;

/** Answers a request whose caller header is wrong, or whose body is too large or not JSON, in the form of GraphQL. */
function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  // The caller has gone.
  if (response.destroyed) return;
  const { status, code, headers = [] } = refusalOf(error);
  const message = code === "INTERNAL" ? "internal error" : messageOf(error);
  const text = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  discardBody(request, () => send(response, status, [...REFUSAL_HEADERS, ...headers], text));
}

/** The rest of a body that is refused is not read. */
const REFUSAL_HEADERS = [
  "content-type",
  "application/json; charset=utf-8",
  "cache-control",
  "no-store",
  "connection",
  "close",
] as const;

interface Refusal {
  readonly status: number;
  readonly code: FailureCode | "BAD_REQUEST";
  readonly headers?: readonly string[];
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Overloaded) {
    const { code, retryAfterSeconds } = error;
    return { status: FAILURES[code].http, code, headers: ["retry-after", String(retryAfterSeconds)] };
  }
  if (error instanceof UnsupportedEncoding) return { status: 415, code: "BAD_REQUEST" };
  if (error instanceof Failure) return { status: error instanceof DamagedBody ? 400 : 413, code: "BAD_REQUEST" };
  return error instanceof GraphQLError ? { status: 400, code: "BAD_REQUEST" } : { status: 500, code: "INTERNAL" };
}

function send(response: ServerResponse, status: number, headers: readonly string[], text: string): void {
  const body = bodyOf(text);
  const length = String(Buffer.byteLength(body));
  writeHead(response, status, [...headers, "content-length", length]).end(body);
}

const hasErrors = ({ headers }: HTTPGraphQLResponse): boolean => headers.get(ERRORS_HEADER) !== NO_ERRORS;

/** What a mutation writes is on the primary server. */
const READS_MUTATIONS_FROM_PRIMARY: ApolloServerPlugin<ServedContext> = {
  requestDidStart: async () => ({
    async didResolveOperation({ operation, contextValue }) {
      if (operation?.operation !== OperationTypeNode.QUERY) readFromPrimary(contextValue.work);
    },
  }),
};

/** The compiled form of a query notes it itself. */
const NOTES_MISSING_ROOTS: ApolloServerPlugin<ServedContext> = {
  requestDidStart: async () => ({
    async willSendResponse({ response: { body }, contextValue }) {
      if (body.kind === "single") noteMissingRoots(Object.values(body.singleResult.data ?? {}), contextValue.work);
    },
  }),
};

/** The gateway passes the text of an answer without errors on. */
const NAMES_ANSWERS_WITHOUT_ERRORS: ApolloServerPlugin<ServedContext> = {
  requestDidStart: async () => ({
    async willSendResponse({ response: { body, http } }) {
      if (body.kind === "single" && !body.singleResult.errors) http.headers.set(ERRORS_HEADER, NO_ERRORS);
    },
  }),
};

const GRAPHQL_RESPONSE = "application/graphql-response+json";

/**
 * The errors of a document or of its variables have status 200 if they are sent as `application/json`, as GraphQL over HTTP recommends:
 * clients of this type ignore the body of another status. Apollo Server always sends 400.
 */
const ANSWERS_JSON_WITH_200: ApolloServerPlugin<ServedContext> = {
  requestDidStart: async () => ({
    async willSendResponse({ request, errors: [error] = [], response: { http } }) {
      const accept = request.http?.headers.get("accept") ?? "*/*";
      const type = new Negotiator({ headers: { accept } }).mediaType(["application/json", GRAPHQL_RESPONSE]);
      const isRequestWrong = error?.extensions["code"] === "BAD_REQUEST";
      if (http.status === 400 && !isRequestWrong && type !== GRAPHQL_RESPONSE) http.status = 200;
    },
  }),
};

function logsUnexpectedErrors(logger: Logger): ApolloServerPlugin<ServedContext> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, contextValue }) => {
        for (const error of errors) logUnexpected(error, contextValue.requestId, logger);
      },
    }),
  };
}
