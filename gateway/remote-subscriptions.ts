import type { ExecutionResult, GraphQLFormattedError } from "graphql";
import { createClient, type SubscribePayload } from "graphql-ws";
import WebSocket from "ws";
import { eventsUntilFailure } from "../core/event-stream.ts";
import { asGraphQLError } from "./public-error.ts";
import { subgraphUnreachable } from "./remote-subgraph.ts";
import type { ConnectionTimes } from "./subgraph.ts";

const CONNECTION_TIMES: ConnectionTimes = { answerMs: 10_000, pingIntervalMs: 12_000 };

/**
 * The subscriptions of a subgraph in another process, over one connection that is open while one of them is. If the connection fails, the
 * last event of each has the error `UNAVAILABLE`, and the next subscription opens a new one.
 */
export type RemoteSubscriptions = (payload: SubscribePayload) => AsyncIterable<ExecutionResult>;

export function createRemoteSubscriptions(url: string, times: ConnectionTimes = CONNECTION_TIMES): RemoteSubscriptions {
  const { answerMs, pingIntervalMs } = times;
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
      closed: stopWaiting,
    },
  });
  return (payload) => {
    const events = client.iterate(payload) as AsyncIterable<ExecutionResult>;
    return eventsUntilFailure(events, (thrown) => ({ data: null, errors: errorsOf(thrown) }));
  };
}

/** graphql-ws passes no options to the WebSockets that it makes. */
function socketsWithin(handshakeTimeout: number) {
  return class extends WebSocket {
    constructor(url: string, protocols: string) {
      super(url, protocols, { handshakeTimeout });
    }
  };
}

/** graphql-ws throws the errors of a subscription that the subgraph has refused, otherwise an event of the socket. */
function errorsOf(thrown: unknown) {
  return Array.isArray(thrown)
    ? (thrown as GraphQLFormattedError[]).map(asGraphQLError)
    : [subgraphUnreachable((thrown as Partial<WebSocket.ErrorEvent>).error)];
}
