import { randomUUID } from "node:crypto";
import type { ExecutionResult } from "graphql";
import { createClient, MessageType, type SubscribePayload } from "graphql-ws";
import WebSocket from "ws";
import { eventsUntilFailure } from "../../core/graph/event-stream.ts";
import { messageFailure } from "../../core/sockets/graphql-ws-server.ts";
import { subgraphUnreachable } from "./remote-subgraph.ts";
import type { ConnectionTimes, RemoteSubgraph } from "./subgraph.ts";

const CONNECTION_TIMES: ConnectionTimes = { answerMs: 10_000, pingIntervalMs: 12_000 };

/**
 * The subscriptions of a subgraph in another process, over one connection that is open while one of them is. If the connection fails, the
 * last event of each has the error `UNAVAILABLE`, and the next subscription opens a new one.
 * Throws `OPERATION_TOO_COMPLEX` if the subscription is too large for a message.
 */
export type RemoteSubscriptions = (payload: SubscribePayload) => AsyncIterable<ExecutionResult>;

/** `headers` is the payload of `connection_init`. `onClose` is called when the connection closes; a later subscription opens another one. */
export function createRemoteSubscriptions(
  { url, connectionTimes = CONNECTION_TIMES }: RemoteSubgraph,
  headers: Readonly<Record<string, string>>,
  onClose: () => void,
): RemoteSubscriptions {
  const { answerMs, pingIntervalMs } = connectionTimes;
  let socket: WebSocket | undefined;
  let timer: NodeJS.Timeout | undefined;
  const expectAnswer = () => {
    clearTimeout(timer);
    // Not closed: a process that answers nothing would not confirm that either.
    timer = setTimeout(() => socket?.terminate(), answerMs);
  };
  const stopWaiting = () => clearTimeout(timer);
  const client = createClient({
    url: url.replace(/^http/, "ws"),
    webSocketImpl: socketsWithin(answerMs),
    // Callers would not notice that the events of the meantime are missing.
    retryAttempts: 0,
    keepAlive: pingIntervalMs,
    connectionParams: headers,
    on: {
      opened(opened) {
        socket = opened as WebSocket; // made by `webSocketImpl`
        expectAnswer();
      },
      connected: stopWaiting,
      ping(isReceived) {
        if (!isReceived) expectAnswer();
      },
      pong(isReceived) {
        if (isReceived) stopWaiting();
      },
      closed() {
        stopWaiting();
        onClose();
      },
    },
  });
  return (payload) => {
    checkSize(payload);
    const events = client.iterate(payload) as AsyncIterable<ExecutionResult>;
    return eventsUntilFailure(events, (thrown) => ({ data: null, errors: errorsOf(thrown) }));
  };
}

/** A message that is too large would close the connection, and end the subscriptions of all callers. */
function checkSize(payload: SubscribePayload): void {
  const id = randomUUID(); // graphql-ws makes one of the same length
  const failure = messageFailure(Buffer.from(JSON.stringify({ id, type: MessageType.Subscribe, payload })));
  if (failure) throw failure;
}

const NORMAL_CLOSURE = 1000;
/** A code of our own. */
const CLOSED_BY_SUBGRAPH = 4000;

/** WebSockets that wait so long for the handshake, and for the end after a close message. graphql-ws passes no options to them. */
function socketsWithin(timeoutMs: number) {
  // The types of `ws` do not have the second one.
  const options = { handshakeTimeout: timeoutMs, closeTimeout: timeoutMs };
  return class extends WebSocket {
    #isOurs = false;

    constructor(url: string, protocols: string) {
      super(url, protocols, options);
    }

    override close(code?: number, reason?: string | Buffer): void {
      // `ws` calls this too, to confirm a close message of the other side, with the bytes of its reason.
      if (!Buffer.isBuffer(reason)) this.#isOurs = true;
      super.close(code, reason);
    }

    /** graphql-ws would subscribe again after a normal closure by the other side, and callers would not notice the missing events. */
    override emit(event: string | symbol, ...values: unknown[]): boolean {
      const [code, ...rest] = values;
      const isUnexpected = event === "close" && code === NORMAL_CLOSURE && !this.#isOurs;
      return isUnexpected ? super.emit(event, CLOSED_BY_SUBGRAPH, ...rest) : super.emit(event, ...values);
    }
  };
}

/** graphql-ws throws the errors of a subscription that the subgraph has refused, otherwise an event of the socket. */
function errorsOf(thrown: unknown): NonNullable<ExecutionResult["errors"]> {
  return Array.isArray(thrown)
    ? thrown // plain objects, as those of events are
    : [subgraphUnreachable((thrown as Partial<WebSocket.ErrorEvent>).error)];
}
