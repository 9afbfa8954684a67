import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type ExecutionResult, type GraphQLError, parse } from "graphql";
import { CloseCode, handleProtocols, makeServer, type SubscribePayload } from "graphql-ws";
import { type WebSocket, WebSocketServer } from "ws";
import { messageOf } from "./errors.ts";
import type { Logger } from "./logger.ts";
import { REQUEST_ID_HEADER, safeRequestId } from "./observability/request-id.ts";

const MAX_MESSAGE_BYTES = 1 << 20;
const PING_INTERVAL_MS = 12_000;
/** graphql-ws requires a document, but `run` has executed the real one already. */
const UNUSED_DOCUMENT = parse("{ __typename }");

/** The outcome of an operation: errors if it cannot run, otherwise a result or the events of a subscription. */
export type WebSocketOutcome = readonly GraphQLError[] | ExecutionResult | AsyncIterable<ExecutionResult>;

/** The connection of an operation. */
export interface GraphQLWebSocketConnection {
  /** The HTTP request that opened the connection. */
  readonly request: IncomingMessage;
  /** The payload of the client's `connection_init`; empty if it has none. */
  readonly initPayload: Readonly<Record<string, unknown>>;
}

export interface GraphQLWebSocketOptions {
  readonly logger: Logger;
  /** Runs an operation that came over a connection. What it throws closes the connection. */
  run(payload: SubscribePayload, connection: GraphQLWebSocketConnection): Promise<WebSocketOutcome>;
  /** Changes a result or an event before it is sent, for example its errors. */
  beforeSend?(result: ExecutionResult, request: IncomingMessage): ExecutionResult;
}

/** GraphQL over WebSocket (the graphql-transport-ws protocol) on connections that an HTTP server hands over. */
export interface GraphQLWebSocketServer extends AsyncDisposable {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes all connections with code 1001. */
  closeAll(): void;
}

type Extra = Pick<GraphQLWebSocketConnection, "request">;

/**
 * Creates a server on graphql-ws and `ws`. It does not use graphql-ws's own binding to `ws`, which prints every failed message
 * on standard error. Here, a connection that fails is one line in the log.
 */
export function createGraphQLWebSocketServer(options: GraphQLWebSocketOptions): GraphQLWebSocketServer {
  const { logger, run, beforeSend = (result) => result } = options;
  const protocol = makeServer<Record<string, unknown>, Extra>({
    async onSubscribe({ extra, connectionParams = {} }, _id, payload) {
      const outcome = await run(payload, { request: extra.request, initPayload: connectionParams });
      if (Array.isArray(outcome)) return outcome;
      return { schema: undefined as never, document: UNUSED_DOCUMENT, contextValue: outcome };
    },
    execute: ({ contextValue }) => contextValue as ExecutionResult | AsyncIterable<ExecutionResult>,
    onNext: ({ extra }, _id, _payload, _args, result) => beforeSend(result, extra.request),
  });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, handleProtocols });
  sockets.on("connection", (socket: WebSocket, request: IncomingMessage) => {
    const log = logger.child({ requestId: safeRequestId(request.headers[REQUEST_ID_HEADER]) });
    const close = protocol.opened(protocolSocket(socket, log), { request });
    socket.once("close", (code, reason) => {
      close(code, String(reason)).catch((error: unknown) => log.error({ err: error }, "a subscription did not end"));
    });
    keepAlive(socket);
  });
  const closeAll = () => {
    for (const socket of sockets.clients) socket.close(1001, "Going away");
  };
  return {
    closeAll,
    upgrade(request, socket, head) {
      sockets.handleUpgrade(request, socket, head, (webSocket) => sockets.emit("connection", webSocket, request));
    },
    async [Symbol.asyncDispose]() {
      closeAll();
      await new Promise((done) => sockets.close(done));
    },
  };
}

type ProtocolSocket = Parameters<ReturnType<typeof makeServer>["opened"]>[0];

function protocolSocket(socket: WebSocket, logger: Logger): ProtocolSocket {
  let isLogged = false;
  const logOnce = (error: unknown) => {
    if (!isLogged) logger.info({ reason: messageOf(error) }, "a WebSocket connection failed");
    isLogged = true;
  };
  socket.on("error", logOnce);
  return {
    protocol: socket.protocol,
    send: (text) =>
      new Promise((done) => {
        if (socket.readyState !== socket.OPEN) return done();
        socket.send(text, (error) => {
          if (error) logOnce(error);
          done();
        });
      }),
    close: (code, reason) => socket.close(code, reason),
    onMessage(handle) {
      socket.on("message", (message) => {
        handle(String(message)).catch((error: unknown) => {
          logger.error({ err: error }, "a WebSocket message could not be handled");
          socket.close(CloseCode.InternalServerError, "Internal server error");
        });
      });
    },
  };
}

/** Pings the client, and ends the connection if the client has not answered the last ping. */
function keepAlive(socket: WebSocket): void {
  let isAlive = true;
  socket.on("pong", () => {
    isAlive = true;
  });
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, PING_INTERVAL_MS);
  socket.once("close", () => clearInterval(timer));
}
