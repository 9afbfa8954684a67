import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { countRejection } from "../observability/rejections.ts";

/** Clients that send requests before they have the answers to earlier ones (pipelining) send a few of them. */
const MAX_UNANSWERED = 100;

/**
 * Closes a connection on which more than 100 requests are not answered yet: each needs memory until all earlier ones are answered. When a
 * connection closes, all its responses are closed: Node.js closes only the one that is being sent. Requests that have arrived on a closed
 * connection are emitted as well.
 */
export function limitUnanswered(server: Server): void {
  const unanswered = new WeakMap<Socket, Set<ServerResponse>>();
  const responsesOf = (socket: Socket): Set<ServerResponse> => {
    const known = unanswered.get(socket);
    if (known) return known;
    const responses = new Set<ServerResponse>();
    unanswered.set(socket, responses);
    socket.once("close", () => {
      for (const response of responses) if (!response.socket) close(response);
    });
    return responses;
  };
  server.on("request", ({ socket }, response) => {
    if (socket.destroyed) return close(response);
    const responses = responsesOf(socket);
    responses.add(response);
    response.once("close", () => responses.delete(response));
    if (responses.size <= MAX_UNANSWERED) return undefined;
    countRejection("too_many_unanswered");
    socket.destroy();
    return undefined;
  });
}

/** Does what Node.js does with a response whose connection has closed. */
function close(response: ServerResponse): void {
  response.destroyed = true;
  response.emit("close");
}
