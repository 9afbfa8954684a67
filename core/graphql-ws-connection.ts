import type { IncomingMessage } from "node:http";
import { setImmediate } from "node:timers/promises";
import { CloseCode, type Context, MessageType, type makeServer } from "graphql-ws";
import type { WebSocket } from "ws";
import { messageOf } from "./errors.ts";
import { hasTooManyValues } from "./http/body.ts";
import { isObject, parseJson } from "./json.ts";
import type { ReleasePlace } from "./keyed-places.ts";
import type { Logger } from "./logger.ts";
import { countRejection } from "./observability/rejections.ts";
import { CLOSE_CODES, closeSocket, type SocketGuard } from "./socket-guard.ts";
import { createSocketMessages, type MessageOrder } from "./socket-messages.ts";
import { createSocketOperations, type SocketOperations } from "./socket-operations.ts";
import { withResolvers } from "./with-resolvers.ts";

/** The connection of an operation. */
export interface GraphQLWebSocketConnection {
  /** The HTTP request that opened the connection. */
  readonly request: IncomingMessage;
  /** The payload of the client's `connection_init`; empty if it has none. */
  readonly initPayload: Readonly<Record<string, unknown>>;
}

/** A message that completes an operation is not larger. */
const MAX_COMPLETE_BYTES = 2_048;

/** What is known of an open connection. */
export type Extra = Pick<GraphQLWebSocketConnection, "request"> & {
  readonly socket: WebSocket;
  readonly operations: SocketOperations;
  /** Identifies the caller, see `GraphQLWebSocketOptions.admit`. Null before `connection_init`. */
  caller: string | null;
  /** Bytes of the message that is handled now. */
  messageBytes: number;
  /** Gives back the place of the operation that the message starts which is handled now. */
  releasePlace: ReleasePlace;
  /** True while messages of the client wait until they are handled. */
  hasWaitingMessages: () => boolean;
  /** True if the connection was not open any more when a message was to be sent. */
  hasUnsent: boolean;
  /** The last time at which an operation had a result or ended. Until there is one: the time at which the connection was opened. */
  usedAtMs: number;
  /** Called when the connection closes. */
  release: () => void;
};
export type ProtocolContext = Context<Record<string, unknown>, Extra>;

/** A connection that has just been opened. */
export function extraOf(socket: WebSocket, request: IncomingMessage): Extra {
  return {
    request,
    socket,
    operations: createSocketOperations(),
    caller: null,
    messageBytes: 0,
    releasePlace: () => {},
    hasWaitingMessages: () => false,
    hasUnsent: false,
    usedAtMs: performance.now(),
    release: () => {},
  };
}

/** Notes that an operation has had a result or ended. */
export function noteUse(extra: Extra): void {
  extra.usedAtMs = performance.now();
}

/** Types of messages that only servers send. graphql-ws throws for them as for a failure of its own. */
const SERVER_MESSAGES: ReadonlySet<unknown> = new Set([MessageType.ConnectionAck, MessageType.Next, MessageType.Error]);

function isOfServers(text: string): boolean {
  const message = parseJson(text);
  return isObject(message) && SERVER_MESSAGES.has(message["type"]);
}

type ProtocolSocket = Parameters<ReturnType<typeof makeServer>["opened"]>[0];

/** The log lines of a connection, which have its request id. */
export interface ConnectionLog {
  /** Logs a failure of the connection itself, such as a reset. Only the first one is logged. */
  logFailure(error: unknown): void;
  logError(error: unknown, message: string): void;
}

/** Uses the logger of the server: one for each connection would take about 1 kB, and most connections log nothing. */
export function createConnectionLog(logger: Logger, requestId: string): ConnectionLog {
  let hasFailed = false;
  return {
    logFailure(error) {
      if (!hasFailed) logger.info({ requestId, reason: messageOf(error) }, "a WebSocket connection failed");
      hasFailed = true;
    },
    logError(error, message) {
      logger.error({ requestId, err: error }, message);
    },
  };
}

/**
 * Takes over the place of the operation that the present message starts. Whoever calls this must call the returned function when the
 * operation has an outcome.
 */
export function takePlace(extra: Extra): ReleasePlace {
  const { releasePlace } = extra;
  extra.releasePlace = () => {};
  return releasePlace;
}

/**
 * The connection as graphql-ws uses it. Large messages of the client are refused before they are parsed. Messages wait for their turn and
 * for a place of the caller, see `createSocketMessages`. A message to the client is passed on at once, so that it counts as unread bytes of the
 * connection, which are limited. graphql-ws waits until it is sent before it asks for the next event of the same subscription.
 */
export function protocolSocket(
  extra: Extra,
  guard: SocketGuard,
  { log, order }: { readonly log: ConnectionLog; readonly order: MessageOrder },
): ProtocolSocket {
  const { socket, operations } = extra;
  return {
    protocol: socket.protocol,
    async send(text) {
      if (socket.readyState !== socket.OPEN) {
        extra.hasUnsent = true;
        // Not at once: a source that always has an event would keep the event loop from closing the connection.
        return void (await setImmediate());
      }
      const { promise: sent, resolve: onSent } = withResolvers();
      // `ws` keeps the bytes of the text. No function uses the text itself, so it is not kept.
      socket.send(text, (error) => {
        if (error) log.logFailure(error);
        onSent();
      });
      guard.sent();
      await sent;
    },
    close: (code, reason) => socket.close(code, reason),
    onMessage(handle) {
      const handleMessage = (message: Buffer, release: ReleasePlace): void => {
        if (hasTooManyValues(message)) {
          release();
          countRejection("body");
          closeSocket(socket, CLOSE_CODES.tooLarge, "Too many values");
          return;
        }
        // graphql-ws begins to handle a message at once.
        extra.messageBytes = message.length;
        extra.releasePlace = release;
        const text = String(message);
        handle(text).catch((error: unknown) => {
          if (isOfServers(text)) return socket.close(CloseCode.BadRequest, "Invalid message received");
          log.logError(error, "a WebSocket message could not be handled");
          socket.close(CloseCode.InternalServerError, "Internal server error");
        });
        // Unless the message has started an operation.
        takePlace(extra)();
        // graphql-ws ends a subscription that has started. It lets queries, mutations and starting subscriptions run on.
        operations.onMessage(text);
      };
      const messages = createSocketMessages(order, {
        guard,
        caller: () => extra.caller,
        handle: handleMessage,
        // A message that completes an operation frees the place for which others wait. graphql-ws handles it in its order.
        notice(message) {
          if (message.length <= MAX_COMPLETE_BYTES) operations.onMessage(String(message));
        },
        refuse() {
          countRejection("overloaded");
          closeSocket(socket, CLOSE_CODES.overloaded, "Too many messages wait");
        },
      });
      extra.hasWaitingMessages = () => messages.size > 0;
      socket.on("message", (message: Buffer) => messages.add(message));
      socket.once("close", () => messages.forget());
    },
  };
}
