import type { Server } from "node:http";
import type { Socket } from "node:net";

/**
 * Closes a connection if its client has read nothing of the pending bytes for `timeoutMs`. Connections that wait for an answer or
 * for an event of a subscription stay open. `hasOpenResponse` distinguishes them from idle connections, whose keep-alive time is over.
 */
export function closeUnreadConnections(
  server: Server,
  timeoutMs: number,
  hasOpenResponse: (socket: Socket) => boolean,
): void {
  // Node.js emits the event after a time without reads and without progress of a pending write.
  server.setTimeout(timeoutMs, (socket) => {
    if (socket.writableLength === 0 && hasOpenResponse(socket)) socket.setTimeout(timeoutMs);
    else socket.destroy();
  });
}
