import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { ConfigError } from "./config.ts";
import { ignoreUpgrade } from "./upgrade-ignored.ts";

const HEADERS_TIMEOUT_MS = 20_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than a balancer's, so that it is never we who close a connection that it is about to use. */
const KEEP_ALIVE_MS = 75_000;
const DRAIN_MS = 10_000;

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  handler(request: IncomingMessage, response: ServerResponse): void;
  upgrade?(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Answers what could not be read as a request. Default: Node's own bare answer. */
  clientError?(error: Error, socket: Duplex): void;
  /**
   * Whether the handler gets a request whatever it lacks or asks for: without a `Host`, with an `Expect` that nobody knows,
   * with an `Upgrade`, which is ignored. Default: no request.
   */
  takesAny?(request: IncomingMessage): boolean;
}

/** A listening server. Disposing it stops accepting, lets requests under way end for up to ten seconds, then closes. */
export interface RunningServer extends AsyncDisposable {
  readonly port: number;
}

/** Listens; rejects when the port is taken. */
export async function startServer({
  host,
  port,
  handler,
  upgrade,
  clientError,
  takesAny = () => false,
}: ServerOptions): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false,
    },
    (request, response) => {
      const lacksHost = request.headers.host === undefined && request.httpVersion === "1.1";
      if (lacksHost && !takesAny(request)) response.writeHead(400, { connection: "close" }).end();
      else handler(request, response);
    },
  );
  server.on("checkExpectation", (request, response) => {
    if (takesAny(request)) server.emit("request", request, response);
    else response.writeHead(417).end();
  });
  const sockets = new Set<Duplex>();
  server.on("connection", (socket) => {
    // One whose upgrade was ignored comes again.
    if (sockets.has(socket)) return;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request, socket, head) => {
    if (takesAny(request)) return ignoreUpgrade(server, request, socket, head);
    socket.on("error", () => socket.destroy());
    if (upgrade) upgrade(request, socket, head);
    else socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n");
  });
  if (clientError) server.on("clientError", clientError);
  let isStopping = false;
  server.on("request", (_request, response) => {
    // Its connection turns idle just after; kept for a next request, it would hold up the stop.
    response.once("close", () => isStopping && setImmediate(() => server.closeIdleConnections()));
  });
  await new Promise<void>((listening, failed) => {
    server.once("error", (error) =>
      failed(
        "code" in error && error.code === "EADDRINUSE"
          ? new ConfigError(`setting port is ${port}: something else listens there`)
          : error,
      ),
    );
    server.listen(port, host, listening);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address ? address.port : port,
    async [Symbol.asyncDispose]() {
      isStopping = true;
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeIdleConnections();
      const fuse = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, DRAIN_MS);
      await closed;
      clearTimeout(fuse);
    },
  };
}
