import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { text } from "node:stream/consumers";

export interface Listener extends AsyncDisposable {
  /** Without a trailing slash. */
  readonly url: string;
  readonly port: number;
}

/** Serves a handler over HTTP on a free port of 127.0.0.1. */
export async function listen(
  handler: RequestListener,
  clientError?: (error: Error, socket: Duplex) => void,
): Promise<Listener> {
  const server = createServer(handler);
  if (clientError) server.on("clientError", clientError);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens has one
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Below the ports that systems give to connections, and to servers that ask for any port: those of other tests. */
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000];

/** Different ports on which nothing listens. */
export async function freePorts(count: number): Promise<number[]> {
  const free = new Set<number>();
  while (free.size < count) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await canListen(port)) free.add(port);
  }
  return [...free];
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    server.close();
    await once(server, "close");
    return true;
  } catch {
    return false;
  }
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port as number;
}

/** Sends raw bytes, for requests that no HTTP client makes. Returns everything received until the connection closes. */
export async function exchangeBytes(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write(request, "latin1");
  return text(socket);
}
