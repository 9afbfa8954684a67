import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy in front of a server. It can interrupt all connections. */
export interface TcpProxy extends AsyncDisposable {
  /** `url` with the proxy's address instead of the server's. */
  through(url: string): string;
  /** Closes all connections, and each new one as soon as it sends data. */
  cut(): void;
  /** Passes nothing on from now on, and keeps all connections open. */
  hold(): void;
  /** Number of connections that were closed because they were opened after `cut`. */
  refused(): number;
  /** Passes new connections through again. */
  restore(): void;
}

/**
 * Starts a proxy in front of the host and port of a URL. Its port listens while connections are cut, too. Calls `onRequest` with all data for the
 * server.
 */
export async function startTcpProxy(url: string, onRequest: (data: Buffer) => void = () => {}): Promise<TcpProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  let refused = 0;
  const server = createServer((client) => {
    tracked(client, sockets);
    if (isCut) {
      refused++;
      return void client.once("data", () => client.end());
    }
    const upstream = tracked(connect(Number(port), hostname), sockets);
    client.on("data", onRequest).pipe(upstream).pipe(client);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const proxyPort = (server.address() as AddressInfo).port; // a TCP server that listens has one
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    through: (target) => target.replace(`${hostname}:${port}`, `127.0.0.1:${proxyPort}`),
    cut,
    hold() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    refused: () => refused,
    restore() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}

function tracked(socket: Socket, sockets: Set<Socket>): Socket {
  sockets.add(socket);
  return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
}
