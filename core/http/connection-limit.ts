import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { countedAddress } from "../limits/access/client-address.ts";
import { createKeyedLimit } from "../limits/keyed-limit.ts";
import { countRejection } from "../observability/rejections.ts";
import { closingAnswer } from "./closing-answer.ts";
import { errorBody } from "./error-answer.ts";

const BODY = errorBody(503, "too many open connections from this address");
const HEADERS = { "retry-after": "1" };

/**
 * Answers 503 on a new connection if its address already has `maxPerAddress` open connections, and closes the new connection. 0: no
 * limit. IPv6 addresses with the same first 64 bits count as one.
 */
export function limitConnections(server: Server, maxPerAddress: number): void {
  if (maxPerAddress === 0) return;
  const open = createKeyedLimit(maxPerAddress);
  const counted = new WeakSet<Socket>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    // The connection of an ignored upgrade is emitted a second time.
    if (remoteAddress === undefined || counted.has(socket)) return;
    counted.add(socket);
    const release = open.take(countedAddress(remoteAddress) ?? remoteAddress);
    if (release) {
      socket.once("close", release);
      return;
    }
    countRejection("too_many_connections");
    socket.end(closingAnswer({ status: 503, requestId: randomUUID(), headers: HEADERS, body: BODY }));
    socket.destroySoon();
  });
}
