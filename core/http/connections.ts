import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { onResponseClose } from "./response-close.ts";

/** The open connections of a server, each with its responses that are not complete yet. */
export type Connections = ReadonlyMap<Socket, ReadonlySet<ServerResponse>>;

/**
 * Tracks the connections of a server. When a connection closes, all its responses are closed: Node.js closes only the one that is being
 * sent. Requests that have arrived on a closed connection are emitted as well, and their responses are closed at once.
 *
 * Call it before any other listener for requests is added.
 */
export function trackConnections(server: Server): Connections {
  const open = new Map<Socket, Set<ServerResponse>>();
  server.on("connection", (socket: Socket) => {
    // The connection of an ignored upgrade is emitted a second time.
    if (open.has(socket)) return;
    const responses = new Set<ServerResponse>();
    open.set(socket, responses);
    socket.once("close", () => {
      open.delete(socket);
      for (const response of responses) if (!response.socket) close(response);
    });
  });
  server.on("request", ({ socket }, response) => {
    const responses = open.get(socket);
    if (!responses || socket.destroyed) {
      close(response);
      return;
    }
    responses.add(response);
    onResponseClose(response, (closed) => responses.delete(closed));
  });
  return open;
}

/** Does what Node.js does with a response whose connection has closed. */
function close(response: ServerResponse): void {
  response.destroyed = true;
  response.emit("close");
}
