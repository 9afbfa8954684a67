import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { type ExecutionResult, type GraphQLError, parse } from "graphql";
import { handleProtocols, makeServer, type SubscribePayload } from "graphql-ws";
import { type WebSocket, WebSocketServer } from "ws";
import { formatCount } from "./cost.ts";
import { Failure, graphQLErrorBody } from "./errors.ts";
import { isEventStream } from "./event-stream.ts";
import {
  createConnectionLog,
  type Extra,
  extraOf,
  type GraphQLWebSocketConnection,
  noteUse,
  type ProtocolContext,
  protocolSocket,
  takePlace,
} from "./graphql-ws-connection.ts";
import { hasTooManyValues, MAX_VALUES } from "./http/body.ts";
import { refuseUpgrade } from "./http/closing-answer.ts";
import { createKeyedLimit } from "./keyed-limit.ts";
import { createKeyedPlaces } from "./keyed-places.ts";
import type { Logger } from "./logger.ts";
import { countRejection } from "./observability/rejections.ts";
import { REQUEST_ID_HEADER, safeRequestId } from "./observability/request-id.ts";
import { once } from "./once.ts";
import { resultForText } from "./result-for-text.ts";
import { CLOSE_CODES, closeSocket, guardSocket, type SocketLimits } from "./socket-guard.ts";
import type { MessageOrder } from "./socket-messages.ts";
import type { Work } from "./work/work.ts";
import { createImmediates, createPacedCalls, type Immediates } from "./yield-to-event-loop.ts";

const MAX_MESSAGE_BYTES = 1 << 18;
/** Clients number their operations, or use UUIDs. */
const MAX_ID_LENGTH = 256;
/** How often a server that stops looks whether the operations of a socket have ended. */
const DRAIN_POLL_MS = 20;
/** The versions of the WebSocket protocol that `ws` accepts: a client with another one may try again with one of them. */
const VERSIONS = { "sec-websocket-version": "13, 8" };
const SHUTTING_DOWN = "the server is shutting down";
const ANY_CALLER: AdmittedConnection = { caller: "", release() {} };
/** graphql-ws requires a document, but `run` has executed the real one already. */
const UNUSED_DOCUMENT = parse("{ __typename }");

/** The outcome of an operation: errors if it cannot run, otherwise a result or the events of a subscription. */
export type WebSocketOutcome = readonly GraphQLError[] | ExecutionResult | AsyncIterable<ExecutionResult>;

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
  /** Bytes of the messages that started the running operations, which are kept until these end. */
  readonly operationBytes: number;
  /**
   * Operations of a caller that may have no outcome yet, over all its connections. Messages that would start more wait, with
   * those that follow them on the same connection.
   */
  readonly starting: number;
  /** Bytes of the messages of a caller that wait, see `MessageOrder.waitingBytes`. A connection with a further message is closed. */
  readonly waitingBytes: number;
}

export const NO_WEB_SOCKET_LIMITS: WebSocketLimits = {
  operations: Number.POSITIVE_INFINITY,
  operationBytes: Number.POSITIVE_INFINITY,
  starting: Number.POSITIVE_INFINITY,
  waitingBytes: Number.POSITIVE_INFINITY,
  unreadBytes: Number.POSITIVE_INFINITY,
  idleMs: Number.POSITIVE_INFINITY,
};

/** A connection that was accepted. */
export interface AdmittedConnection {
  /** Identifies the caller for `WebSocketLimits.starting`. */
  readonly caller: string;
  /** Called when the connection closes. */
  release(): void;
}

export interface GraphQLWebSocketOptions {
  readonly logger: Logger;
  /** Default: none. */
  readonly limits?: WebSocketLimits;
  /**
   * Called with each `connection_init`. Returns the caller and the function to call when the connection closes, or null if the caller has
   * too many connections. Default: all are accepted, and have the same caller.
   */
  admit?(connection: GraphQLWebSocketConnection): AdmittedConnection | null;
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

/** What the connections of a server share. */
interface ServerState {
  isStopping: boolean;
  /** The state of each connection after `connection_init`. */
  readonly contexts: WeakMap<WebSocket, ProtocolContext>;
  /**
   * Ends the operations of connections that have closed. Each may have hundreds of subscriptions, and many connections close at the same time when a
   * proxy stops.
   */
  readonly endings: Immediates;
}

type Protocol = ReturnType<typeof makeServer<Record<string, unknown>, Extra>>;

/**
 * Creates a server on graphql-ws and `ws`. It does not use graphql-ws's own binding to `ws`, which prints every failed message
 * on standard error. Here, a connection that fails is one line in the log.
 */
export function createGraphQLWebSocketServer(options: GraphQLWebSocketOptions): GraphQLWebSocketServer {
  const state: ServerState = { isStopping: false, contexts: new WeakMap(), endings: createImmediates() };
  const protocol = createProtocol(options, state);
  const sockets = createSockets();
  const open = createOpening(protocol, options, state);
  sockets.on("connection", open);
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
      await state.endings.callAll();
    },
  };
}

/** Admits connections, and runs their operations. */
function createProtocol(options: GraphQLWebSocketOptions, state: ServerState): Protocol {
  const { run, limits = NO_WEB_SOCKET_LIMITS, admit = () => ANY_CALLER, givenRequestId = () => undefined } = options;
  return makeServer<Record<string, unknown>, Extra>({
    onConnect(context) {
      const { extra, connectionParams = {} } = context;
      state.contexts.set(extra.socket, context);
      const admitted = admit({ ...extra, initPayload: connectionParams });
      if (admitted) {
        extra.caller = admitted.caller;
        extra.release = once(() => admitted.release());
        return true;
      }
      countRejection("too_many_subscriptions");
      closeSocket(extra.socket, CLOSE_CODES.tooMany, "Too many connections");
      return false;
    },
    async onSubscribe(context, id, payload) {
      const refusal = tooLongId(id) ?? (state.isStopping ? shuttingDown() : limitFailure(context, limits));
      const { extra, connectionParams = {} } = context;
      const { request, operations, messageBytes } = extra;
      // The message handler gives the place of a refused operation back.
      if (refusal) return [options.refused?.(refusal, { request, initPayload: connectionParams }) ?? refusal];
      const onOutcome = takePlace(extra);
      const requestId = safeRequestId(givenRequestId(payload) ?? request.headers[REQUEST_ID_HEADER]);
      const outcome = await operations.run({ id, requestId, bytes: messageBytes, onOutcome }, (work) =>
        run(payload, { request, requestId, work, initPayload: connectionParams }),
      );
      if (isErrors(outcome)) return outcome;
      const contextValue = isEventStream(outcome) ? outcome : resultForText(outcome);
      return { schema: undefined as never, document: UNUSED_DOCUMENT, contextValue };
    },
    execute: ({ contextValue }) => contextValue as ExecutionResult | AsyncIterable<ExecutionResult>,
    onNext: ({ extra }) => noteUse(extra),
    onError: ({ extra }) => noteUse(extra),
    onComplete: ({ extra }) => noteUse(extra),
    onClose({ extra }) {
      extra.release();
    },
  });
}

/** The WebSockets, without a server of their own. Answers handshakes that are not valid. */
function createSockets(): WebSocketServer {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols,
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

/** Returns the function that is called with each new connection: it watches the connection and passes it to the protocol. */
function createOpening(
  protocol: Protocol,
  { logger, limits = NO_WEB_SOCKET_LIMITS }: GraphQLWebSocketOptions,
  { contexts, endings }: ServerState,
): (socket: WebSocket, request: IncomingMessage) => void {
  // Of each connection, one message is read in an iteration of the event loop. Hundreds of connections would hold it.
  const order: MessageOrder = {
    turns: createPacedCalls(),
    places: createKeyedPlaces(limits.starting),
    waitingBytes: createKeyedLimit(limits.waitingBytes),
  };
  return (socket, request) => {
    const log = createConnectionLog(logger, safeRequestId(request.headers[REQUEST_ID_HEADER]));
    const extra = extraOf(socket, request);
    const hasOperations = () => Object.keys(contexts.get(socket)?.subscriptions ?? {}).length > 0;
    const guard = guardSocket(socket, request.socket, limits, () =>
      hasOperations() || extra.hasWaitingMessages() ? null : extra.usedAtMs,
    );
    socket.on("error", log.logFailure);
    // `ws` reports a reset like the end of a connection without a close message.
    let reset: Error | null = null;
    request.socket.once("error", (error) => {
      reset = error;
    });
    const close = protocol.opened(protocolSocket(extra, guard, { log, order }), extra);
    socket.once("close", (code, reason) => {
      if (reset && (extra.hasUnsent || hasOperations())) log.logFailure(reset);
      // The caller may connect again at once.
      extra.release();
      endings.add(() => {
        extra.operations.cancelAll();
        close(code, String(reason)).catch((error: unknown) => log.logError(error, "a subscription did not end"));
      });
    });
  };
}

/** Closes a connection when its queries and mutations have ended. */
function closeWhenAnswered(socket: WebSocket, state: ServerState): void {
  const context = state.contexts.get(socket);
  // The value of a query or mutation stays null until it ends.
  if (context && Object.values(context.subscriptions).includes(null))
    setTimeout(closeWhenAnswered, DRAIN_POLL_MS, socket, state);
  else closeSocket(socket, CLOSE_CODES.shutdown, "Going away");
}

function isErrors(outcome: WebSocketOutcome): outcome is readonly GraphQLError[] {
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
function limitFailure({ subscriptions, extra }: ProtocolContext, limits: WebSocketLimits): Failure | null {
  if (extra.operations.bytes + extra.messageBytes > limits.operationBytes) {
    countRejection("too_many_subscriptions");
    const message = `the messages that started the running operations of a connection may have at most ${limits.operationBytes} bytes`;
    return new Failure("RATE_LIMITED", message);
  }
  if (limits.operations === Number.POSITIVE_INFINITY || Object.keys(subscriptions).length <= limits.operations)
    return null;
  countRejection("too_many_subscriptions");
  return new Failure("RATE_LIMITED", `a connection may run at most ${limits.operations} operations at the same time`);
}
