import type { Server } from "node:http";
import type { Socket } from "node:net";
import { countRejection } from "../observability/rejections.ts";

/** Clients that send requests before they have the answers to earlier ones (pipelining) send a few of them. */
const MAX_UNANSWERED = 100;

/**
 * Closes a connection on which more than 100 requests are not answered yet: each needs memory until all earlier ones are answered. Call it
 * before any other listener for requests is added. Requests that have arrived on a closed connection are emitted as well.
 */
export function limitUnanswered(server: Server): void {
  const unanswered = new WeakMap<Socket, number>();
  const countOf = (socket: Socket): number => unanswered.get(socket) ?? 0;
  server.on("request", ({ socket }, response) => {
    if (socket.destroyed) return;
    unanswered.set(socket, countOf(socket) + 1);
    response.once("close", () => unanswered.set(socket, countOf(socket) - 1));
    if (countOf(socket) <= MAX_UNANSWERED) return;
    countRejection("too_many_unanswered");
    socket.destroy();
  });
}
