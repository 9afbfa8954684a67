import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { GraphQLSchema, parse } from "graphql";
import { CloseCode, MessageType, type ServerOptions, type SubscribePayload } from "graphql-ws";
import { type Extra, useServer } from "graphql-ws/use/ws";
import { type Server, type WebSocket, WebSocketServer } from "ws";
import { createConcurrencyLimit } from "../async/concurrency-limit.ts";
import { Failure, graphQLErrorBody, messageOf } from "../errors/errors.ts";
import { isObject, parseJson } from "../formats/json.ts";
import { formatCount } from "../graph/cost.ts";
import { hasTooManyValues, MAX_VALUES } from "../http/body.ts";
import { refuseUpgrade } from "../http/closing-answer.ts";
import type { Logger } from "../observability/logger.ts";
import { countRejection } from "../observability/rejections.ts";
import { REQUEST_ID_HEADER, safeRequestId } from "../observability/request-id.ts";
import type { Work } from "../work/work.ts";
import { CLOSE_CODES, closeSocket, guardSocket, ObservedSocket, type SocketLimits } from "./socket-guard.ts";
import { createSocketOperations, never, type SocketOperations, type WebSocketOutcome } from "./socket-operations.ts";
import { createWaitingStarts, type WaitingStarts } from "./waiting-starts.ts";

const MAX_MESSAGE_BYTES = 1 << 18;
/** Clients number their operations, or use UUIDs. */
const MAX_ID_LENGTH = 256;
/** Operations that start in an iteration of the event loop: thousands may start together. */
const STARTS = 20;
/** Closed connections whose operations end in an iteration of the event loop: each may have hundreds. */
const ENDINGS = 2;
/** How often a server that stops looks whether the operations of a socket have ended. */
const DRAIN_POLL_MS = 20;
/** The versions of the WebSocket protocol that `ws` accepts: a client with another one may try again with one of them. */
const VERSIONS = { "sec-websocket-version": "13, 8" };
const SHUTTING_DOWN = "the server is shutting down";
/** graphql-ws requires a schema and a document, but `run` has executed the real one already. */
const UNUSED = { schema: new GraphQLSchema({}), document: parse("{ __typename }") };
/** Types of messages that only servers send. graphql-ws would print them as a failure of its own. */
const SERVER_MESSAGES: ReadonlySet<unknown> = new Set([MessageType.ConnectionAck, MessageType.Next, MessageType.Error]);

/** The connection of an operation. */
export interface GraphQLWebSocketConnection {
  /** The HTTP request that opened the connection. */
  readonly request: IncomingMessage;
  /** The payload of the client's `connection_init`; empty if it has none. */
  readonly initPayload: Readonly<Record<string, unknown>>;
}

/** An operation that came over a connection. */
export interface GraphQLWebSocketOperation extends GraphQLWebSocketConnection {
  /** See `GraphQLWebSocketOptions.givenRequestId`. */
  readonly requestId: string;
  /** Cancelled when the client completes the operation, or when the connection closes. */
  readonly work: Work;
}

/** Limits of one connection. */
export interface WebSocketLimits extends SocketLimits {
  /** Number of operations that may run at the same time. */
  readonly operations: number;
  /** Bytes of the messages that started the running operations, which are kept until these end, and of the messages that wait. */
  readonly operationBytes: number;
  /** Number of operations that may have no outcome at the same time. The messages of the others wait, see `WaitingStarts`. */
  readonly starting: number;
}

export const NO_WEB_SOCKET_LIMITS: WebSocketLimits = {
  operations: Number.POSITIVE_INFINITY,
  operationBytes: Number.POSITIVE_INFINITY,
  starting: Number.POSITIVE_INFINITY,
  unreadBytes: Number.POSITIVE_INFINITY,
  idleMs: Number.POSITIVE_INFINITY,
};

export interface GraphQLWebSocketOptions {
  readonly logger: Logger;
  /** Default: none. */
  readonly limits?: WebSocketLimits;
  /**
   * Called with each `connection_init`. Returns the function to call when the connection closes, or null if the caller has too many connections.
   * Default: all are accepted.
   */
  admit?(connection: GraphQLWebSocketConnection): (() => void) | null;
  /**
   * The request id that a client gave with an operation, which may be anything. Default: none. An operation without one has the
   * `x-request-id` of the handshake. An unsafe or missing id is replaced by a new one.
   */
  givenRequestId?(payload: SubscribePayload): unknown;
  /**
   * Runs an operation as a request of its own.
   * What it throws closes the connection.
   */
  run(payload: SubscribePayload, operation: GraphQLWebSocketOperation): Promise<WebSocketOutcome>;
  /**
   * Called in place of `run` with each operation that is refused because of the limits of its connection or because the server is shutting
   * down. Returns the failure that the client gets. Default: the same.
   */
  refused?(failure: Failure, connection: GraphQLWebSocketConnection): Failure;
}

/**
 * GraphQL over WebSocket (the graphql-transport-ws protocol) on connections that an HTTP server hands over. Disposing it waits until all
 * connections are closed and their operations are cancelled.
 */
export interface GraphQLWebSocketServer extends AsyncDisposable {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /**
   * Closes all connections with code 1001: those with a running query or mutation after its response, the others at once. No further
   * connection is opened, and no further operation starts.
   */
  closeAll(): void;
}

/** The failure of an operation whose message would make these servers close the connection; null if they accept it. */
export function messageFailure(message: Buffer): Failure | null {
  if (message.length <= MAX_MESSAGE_BYTES && !hasTooManyValues(message)) return null;
  const limits = `${formatCount(MAX_MESSAGE_BYTES)} bytes and ${formatCount(MAX_VALUES)} values`;
  return new Failure(
    "OPERATION_TOO_COMPLEX",
    `the message of an operation may have at most ${limits}, this one has ${formatCount(message.length)} bytes`,
  );
}

/** What is known of an open connection. */
interface Connection {
  readonly operations: SocketOperations;
  readonly starts: WaitingStarts;
  /** Bytes of the message that is handled now. */
  messageBytes: number;
  /** Called when the connection closes. */
  release(): void;
}

interface ServerState {
  isStopping: boolean;
  readonly connections: WeakMap<WebSocket, Connection>;
  /** Resolves in a later iteration of the event loop, before an operation starts. */
  pauseBeforeStart(): Promise<void>;
  /** The same before the operations of a closed connection end. */
  pauseBeforeEnd(): Promise<void>;
}

/** Creates a server on graphql-ws and `ws`. */
export function createGraphQLWebSocketServer(options: GraphQLWebSocketOptions): GraphQLWebSocketServer {
  const pauses = (count: number) => {
    const limit = createConcurrencyLimit(count);
    return () => limit(() => setImmediate());
  };
  const state: ServerState = {
    isStopping: false,
    connections: new WeakMap(),
    pauseBeforeStart: pauses(STARTS),
    pauseBeforeEnd: pauses(ENDINGS),
  };
  const sockets = createSockets();
  sockets.on("connection", (socket, request) =>
    state.connections.set(socket, openConnection(socket, request, options, state)),
  );
  // The pings are those of `guardSocket`.
  useServer({ ...protocolHooks(options, state), isProd: true }, sockets as unknown as WebSocketServer, 0);
  const closeAll = () => {
    state.isStopping = true;
    for (const socket of sockets.clients) closeWhenAnswered(socket, state);
  };
  return {
    closeAll,
    upgrade(request, socket, head) {
      if (state.isStopping) {
        countRejection("shutting_down");
        const headers = { "retry-after": "1" };
        refuseUpgrade(request, socket, { status: 503, headers, body: graphQLErrorBody("UNAVAILABLE", SHUTTING_DOWN) });
        return;
      }
      sockets.handleUpgrade(request, socket, head, (webSocket) => sockets.emit("connection", webSocket, request));
    },
    async [Symbol.asyncDispose]() {
      closeAll();
      await new Promise((done) => sockets.close(done));
    },
  };
}

/** The WebSockets, without a server of their own. Answers handshakes that are not valid. */
function createSockets(): Server<typeof ObservedSocket> {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    WebSocket: ObservedSocket,
    // One message of each connection in an iteration of the event loop: thousands that arrive together must not hold it.
    allowSynchronousEvents: false,
  });
  sockets.on("wsClientError", (error, socket, request) => {
    const message = `the WebSocket handshake is refused: ${error.message}`;
    const body = graphQLErrorBody("INVALID_PARAMETER", message);
    refuseUpgrade(request, socket, { status: 400, headers: VERSIONS, body });
  });
  return sockets;
}

/** Watches a new connection. */
function openConnection(
  socket: ObservedSocket,
  request: IncomingMessage,
  { logger, limits = NO_WEB_SOCKET_LIMITS }: GraphQLWebSocketOptions,
  { pauseBeforeStart, pauseBeforeEnd }: ServerState,
): Connection {
  const requestId = safeRequestId(request.headers[REQUEST_ID_HEADER]);
  const guard = guardSocket(socket, request.socket, limits, () => (held.size > 0 ? null : held.endedAtMs));
  const starts = createWaitingStarts(limits.starting, ({ text, bytes }) => {
    connection.messageBytes = bytes;
    socket.pass(text);
  });
  const operations = createSocketOperations({
    onOutcome: () => void guard.whenFree().then(starts.ended),
    async beforeStart() {
      await guard.whenFree();
      await pauseBeforeStart();
    },
    beforeEvent: guard.whenFree,
    onError: (error) => logger.error({ requestId, err: error }, "a subscription did not end"),
  });
  const { held } = operations;
  const connection: Connection = { operations, starts, messageBytes: 0, release() {} };
  // `ws` reports a reset like the end of a connection without a close message.
  let reset: Error | null = null;
  request.socket.once("error", (error) => {
    reset = error;
  });
  let hasFailed = false;
  let hasUnhandled = false;
  const onFailure = (error: Error): void => {
    if (!hasFailed) logger.info({ requestId, reason: messageOf(error) }, "a WebSocket connection failed");
    hasFailed = true;
  };
  socket.observer = {
    onFailure,
    onSent: guard.sent,
    onMessage(message) {
      hasUnhandled ||= socket.readyState !== socket.OPEN;
      return hasUnhandled ? null : protocolText(message, socket, connection, limits);
    },
    onClose(pass) {
      if (reset && (hasUnhandled || held.size > 0)) onFailure(reset);
      // The caller may connect again at once.
      connection.release();
      starts.clear();
      void pauseBeforeEnd().then(() => {
        operations.cancelAll();
        pass();
      });
    },
  };
  return connection;
}

/** The text of a message for graphql-ws; null if graphql-ws must not get it, or gets it later. */
function protocolText(
  message: Buffer,
  socket: WebSocket,
  connection: Connection,
  limits: WebSocketLimits,
): string | null {
  const { starts, operations } = connection;
  if (hasTooManyValues(message)) {
    countRejection("body");
    closeSocket(socket, CLOSE_CODES.tooLarge, "Too many values");
    return null;
  }
  const text = String(message);
  const parsed = parseJson(text);
  const { type, id } = isObject(parsed) ? parsed : {};
  if (SERVER_MESSAGES.has(type)) {
    socket.close(CloseCode.BadRequest, "Invalid message received");
    return null;
  }
  // graphql-ws ends a subscription that has started. It lets queries, mutations and starting subscriptions run on.
  if (type === MessageType.Complete && typeof id === "string") {
    starts.remove(id);
    operations.complete(id);
  }
  if (type === MessageType.Subscribe && typeof id === "string") {
    if (starts.has(id)) {
      socket.close(CloseCode.SubscriberAlreadyExists, `Subscriber for ${id} already exists`);
      return null;
    }
    const isRefused = tooLongId(id) !== null || exceededLimit(connection, message.length, limits) !== null;
    if (!isRefused && starts.mustWait(id, { text, bytes: message.length })) return null;
  }
  // graphql-ws begins to handle a message at once.
  connection.messageBytes = message.length;
  return text;
}

/** Admits connections, and runs their operations. */
function protocolHooks(
  options: GraphQLWebSocketOptions,
  state: ServerState,
): ServerOptions<Record<string, unknown>, Extra> {
  const { logger, limits = NO_WEB_SOCKET_LIMITS, admit = () => () => {}, givenRequestId = () => undefined } = options;
  const connectionOf = (socket: WebSocket) => state.connections.get(socket) as Connection; // each socket has one
  return {
    onConnect({ extra: { socket, request }, connectionParams = {} }) {
      const release = admit({ request, initPayload: connectionParams });
      if (release) {
        connectionOf(socket).release = release;
        return true;
      }
      countRejection("too_many_subscriptions");
      closeSocket(socket, CLOSE_CODES.tooMany, "Too many connections");
      return false;
    },
    async onSubscribe({ extra: { socket, request }, connectionParams: initPayload = {} }, id, payload) {
      const connection = connectionOf(socket);
      const { operations, messageBytes: bytes } = connection;
      const requestId = safeRequestId(givenRequestId(payload) ?? request.headers[REQUEST_ID_HEADER]);
      const refuse = (failure: Failure) => [options.refused?.(failure, { request, initPayload }) ?? failure];
      const run = async (work: Work) =>
        state.isStopping ? refuse(shuttingDown()) : options.run(payload, { request, requestId, work, initPayload });
      try {
        const refusal = tooLongId(id) ?? limitFailure(connection, bytes, limits);
        if (refusal) return refuse(refusal);
        const outcome = await operations.run({ id, requestId, bytes }, run);
        return isErrors(outcome) ? outcome : { ...UNUSED, contextValue: outcome };
      } catch (error) {
        logger.error({ requestId, err: error }, "a WebSocket message could not be handled");
        socket.close(CloseCode.InternalServerError, "Internal server error");
        // graphql-ws would print what is thrown here.
        return never();
      }
    },
    execute: ({ contextValue }) => contextValue as Exclude<WebSocketOutcome, readonly unknown[]>,
  };
}

/** Closes a connection when its queries and mutations are answered. */
function closeWhenAnswered(socket: WebSocket, state: ServerState): void {
  const connection = state.connections.get(socket);
  const isWaiting = connection !== undefined && (connection.operations.hasUnanswered() || connection.starts.size > 0);
  const hasUnsentAnswer = connection?.operations.held.size === 0 && socket.bufferedAmount > 0;
  if (socket.readyState === socket.OPEN && (isWaiting || hasUnsentAnswer))
    setTimeout(closeWhenAnswered, DRAIN_POLL_MS, socket, state);
  else closeSocket(socket, CLOSE_CODES.shutdown, "Going away");
}

function isErrors(outcome: WebSocketOutcome): outcome is Extract<WebSocketOutcome, readonly unknown[]> {
  return Array.isArray(outcome);
}

function tooLongId(id: string): Failure | null {
  if (id.length <= MAX_ID_LENGTH) return null;
  return new Failure("INVALID_PARAMETER", `the id of an operation may have at most ${MAX_ID_LENGTH} characters`);
}

function shuttingDown(): Failure {
  countRejection("shutting_down");
  return new Failure("UNAVAILABLE", SHUTTING_DOWN);
}

/** The refusal of an operation that exceeds a limit of its connection; null if there is none. */
function limitFailure(connection: Connection, messageBytes: number, limits: WebSocketLimits): Failure | null {
  const reason = exceededLimit(connection, messageBytes, limits);
  if (reason === null) return null;
  countRejection("too_many_subscriptions");
  return new Failure("RATE_LIMITED", reason);
}

/** The limit of a connection that one more operation would exceed; null if there is none. */
function exceededLimit(
  { operations: { held }, starts }: Connection,
  messageBytes: number,
  limits: WebSocketLimits,
): string | null {
  if (held.bytes + starts.bytes + messageBytes > limits.operationBytes)
    return `the messages that started the running operations of a connection may have at most ${limits.operationBytes} bytes`;
  if (held.size + starts.size >= limits.operations)
    return `a connection may run at most ${limits.operations} operations at the same time`;
  return null;
}
