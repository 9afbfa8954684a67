import type { IncomingMessage, RequestListener } from "node:http";
import type { Duplex } from "node:stream";
import { ApolloServer, type ApolloServerPlugin, type BaseContext } from "@apollo/server";
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginLandingPageDisabled,
} from "@apollo/server/plugin/disabled";
import { ApolloServerPluginInlineTrace } from "@apollo/server/plugin/inlineTrace";
import { expressMiddleware } from "@as-integrations/express5";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { type GraphQLSchema, lexicographicSortSchema } from "graphql";
import { Failure, messageOf } from "../../../core/errors/errors.ts";
import type { CompileText } from "../../../core/graph/answer-text.ts";
import type { RequestInfo } from "../../../core/graph/graph-client.ts";
import { checkValues } from "../../../core/http/body.ts";
import { workOf } from "../../../core/http/caller-left.ts";
import { refuseUpgrade } from "../../../core/http/closing-answer.ts";
import { answerNotFound, errorBody, notFoundMessage } from "../../../core/http/error-answer.ts";
import { httpRoute, setRoute } from "../../../core/http/observe-http.ts";
import { setDefaultHeaders } from "../../../core/http/response.ts";
import { ERRORS_HEADER, NO_ERRORS } from "../../../core/http/subgraph-headers.ts";
import { CALLER_HEADER } from "../../../core/limits/access/api-keys.ts";
import type { Logger } from "../../../core/observability/logger.ts";
import { countRejection } from "../../../core/observability/rejections.ts";
import { requestIdOf } from "../../../core/observability/request-id.ts";
import { checkedCaller } from "./caller.ts";
import { answersCompiledQueries, textOf } from "./compiled-answers.ts";
import { logUnexpected, publicError } from "./public-error.ts";
import { createSubscriptionServer } from "./subscriptions.ts";

const PATH = "/graphql";
const ROUTE = httpRoute(PATH);
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
  const contextOf: ContextOf = (request) => Object.assign(subgraph.context(request), { requestId: request.requestId });
  const subscriptions = createSubscriptionServer(subgraph.schema, contextOf, logger);
  return {
    handler: await createApp(subgraph, contextOf, logger),
    upgrade(request, socket, head) {
      const refuse = (status: number, message: string) =>
        refuseUpgrade(request, socket, { status, body: errorBody(status, message) });
      if (request.url?.split("?")[0] !== PATH) refuse(404, notFoundMessage(request));
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

type ServedContext = BaseContext & Pick<RequestInfo, "requestId">;
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
      answersCompiledQueries(compileText),
      logsUnexpectedErrors(logger),
      NAMES_ANSWERS_WITHOUT_ERRORS,
    ],
  });
  await apollo.start();
  const middleware = expressMiddleware(apollo, {
    context: async ({ req, res }) =>
      contextOf({ requestId: requestIdOf(req), caller: req.get(CALLER_HEADER), work: workOf(res) }),
  });
  const prepareResponse: RequestHandler = (_request, response, next) => {
    setRoute(response, ROUTE);
    response.setHeader("cache-control", "no-store");
    next();
  };
  return express()
    .disable("x-powered-by")
    .use(setDefaults)
    .use(
      PATH,
      prepareResponse,
      checkCaller,
      express.json({ limit: MAX_BODY_BYTES, verify: (_request, _response, body) => checkValues(body) }),
      middleware,
      answerBodyError,
    )
    .use(answerNotFound);
}

/** Express replaces the class of a response, and with it the way in which it gets these headers. */
const setDefaults: RequestHandler = (_request, response, next) => {
  setDefaultHeaders(response);
  next();
};

const checkCaller: RequestHandler = (request, _response, next) => {
  try {
    checkedCaller(request.get(CALLER_HEADER));
    next();
  } catch (error) {
    next(Object.assign(error as Error, { status: 400 })); // `checkedCaller` throws only such errors
  }
};

/**
 * Answers a request whose caller header is wrong, or whose body is too large or not JSON, in the form of GraphQL. Express would
 * send a page with a stack trace.
 */
const answerBodyError: ErrorRequestHandler = (error: { readonly status?: number }, _request, response, _next) => {
  // Express has another status for what its option `verify` refuses.
  const status = error instanceof Failure ? 413 : (error.status ?? 500);
  const [message, code] = status < 500 ? [messageOf(error), "BAD_REQUEST"] : ["internal error", "INTERNAL"];
  response.status(status).json({ errors: [{ message, extensions: { code } }] });
};

/** The gateway passes the text of an answer without errors on. */
const NAMES_ANSWERS_WITHOUT_ERRORS: ApolloServerPlugin<ServedContext> = {
  requestDidStart: async () => ({
    async willSendResponse({ response: { body, http } }) {
      if (body.kind === "single" && !body.singleResult.errors) http.headers.set(ERRORS_HEADER, NO_ERRORS);
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
