import type { Server } from "node:http";
import { countRejection } from "../observability/rejections.ts";
import type { Connections } from "./connections.ts";

/** Clients that send requests before they have the answers to earlier ones (pipelining) send a few of them. */
const MAX_UNANSWERED = 100;

/**
 * Closes a connection on which more than 100 requests are not answered yet: each needs memory until all earlier ones are answered.
 */
export function limitUnanswered(server: Server, connections: Connections): void {
  server.on("request", ({ socket }) => {
    const unanswered = connections.get(socket)?.size ?? 0;
    if (socket.destroyed || unanswered <= MAX_UNANSWERED) return;
    countRejection("too_many_unanswered");
    socket.destroy();
  });
}
