import { randomUUID } from "node:crypto";
import type { IncomingMessage, RequestListener } from "node:http";
import type { Duplex } from "node:stream";
import { ApolloServer, type ApolloServerPlugin, type BaseContext } from "@apollo/server";
import {
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
} from "@apollo/server/plugin/disabled";
import { expressMiddleware } from "@as-integrations/express5";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import type { GraphQLError, GraphQLSchema } from "graphql";
import { useServer } from "graphql-ws/use/ws";
import { WebSocketServer } from "ws";
import { messageOf } from "../../core/errors.ts";
import type { RequestInfo } from "../../core/graph-client.ts";
import type { Logger } from "../../core/logger.ts";
import { isBug, shownError } from "./shown-error.ts";

const PATH = "/graphql";
const REQUEST_ID = "x-request-id";
const MOST_BYTES = 1 << 20;

/** A subgraph that is to run alone. */
export interface ServedSubgraph {
  readonly schema: GraphQLSchema;
  context(request: RequestInfo): BaseContext;
}

/** What a subgraph that runs alone answers: queries by HTTP, subscriptions by graphql-ws, both on `/graphql`. */
export interface SubgraphServer extends AsyncDisposable {
  readonly handler: RequestListener;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Disposing it ends the subscriptions; do so before the HTTP server is to drain. */
export async function createSubgraphServer(subgraph: ServedSubgraph, logger: Logger): Promise<SubgraphServer> {
  const contextOf = (request: IncomingMessage) => {
    const requestId = requestIdOf(request);
    return Object.assign(subgraph.context({ requestId }), { requestId });
  };
  const sockets = new WebSocketServer({ noServer: true, path: PATH, maxPayload: MOST_BYTES });
  const subscriptions = serveSubscriptions(subgraph.schema, contextOf, sockets, logger);
  return {
    handler: await createApp(subgraph.schema, contextOf, logger),
    upgrade(request, socket, head) {
      sockets.handleUpgrade(request, socket, head, (webSocket) => sockets.emit("connection", webSocket, request));
    },
    [Symbol.asyncDispose]: async () => subscriptions.dispose(),
  };
}

type ServedContext = BaseContext & RequestInfo;
type ContextOf = (request: IncomingMessage) => ServedContext;

async function createApp(schema: GraphQLSchema, contextOf: ContextOf, logger: Logger): Promise<RequestListener> {
  const apollo = new ApolloServer<ServedContext>({
    schema,
    formatError: shownError,
    introspection: true,
    // Nothing here changes anything, so a foreign page gains nothing by making a browser ask.
    csrfPrevention: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    plugins: [ApolloServerPluginLandingPageDisabled(), ApolloServerPluginInlineTraceDisabled(), logsBugs(logger)],
  });
  await apollo.start();
  const middleware = expressMiddleware(apollo, { context: async ({ req }) => contextOf(req) });
  const answersWithId: RequestHandler = (request, response, next) => {
    response.setHeader(REQUEST_ID, requestIdOf(request));
    next();
  };
  return express()
    .disable("x-powered-by")
    .use(PATH, answersWithId, express.json({ limit: MOST_BYTES }), middleware, answerUnread);
}

/** A body that is too large or no JSON, in the form of GraphQL rather than Express's page with a stack. */
const answerUnread: ErrorRequestHandler = (error: { readonly status?: number }, _request, response, _next) => {
  const { status = 500 } = error;
  const [message, code] = status < 500 ? [messageOf(error), "BAD_REQUEST"] : ["internal error", "INTERNAL"];
  response.status(status).json({ errors: [{ message, extensions: { code } }] });
};

function serveSubscriptions(schema: GraphQLSchema, contextOf: ContextOf, sockets: WebSocketServer, logger: Logger) {
  const shown = (errors: readonly GraphQLError[], requestId: string) => {
    for (const error of errors) logBug(error, requestId, logger);
    return errors.map((error) => shownError(error.toJSON(), error));
  };
  return useServer(
    {
      schema,
      context: ({ extra }) => contextOf(extra.request),
      onError: ({ extra }, _id, _payload, errors) => shown(errors, requestIdOf(extra.request)),
      onNext: ({ extra }, _id, _payload, _args, result) =>
        result.errors && { ...result, errors: shown(result.errors, requestIdOf(extra.request)) },
    },
    sockets,
  );
}

/** The gateway's request id where it is a sane one, else a new one, which the request then has. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers[REQUEST_ID];
  const id = typeof given === "string" && /^[\w.:-]{1,100}$/.test(given) ? given : randomUUID();
  headers[REQUEST_ID] = id;
  return id;
}

function logsBugs(logger: Logger): ApolloServerPlugin<ServedContext> {
  return {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, contextValue }) => {
        for (const error of errors) logBug(error, contextValue.requestId, logger);
      },
    }),
  };
}

function logBug(error: GraphQLError, requestId: string, logger: Logger): void {
  if (isBug(error))
    logger.error({ requestId, path: error.path, err: error.originalError ?? error }, "an operation failed");
}
