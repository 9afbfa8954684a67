import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP connection to a server that can be cut and mended. */
export interface TcpProxy extends AsyncDisposable {
  /** `url` through the cable. */
  through(url: string): string;
  /** Ends all connections, and each new one at its first word. */
  cut(): void;
  mend(): void;
}

/**
 * Lays a cable to the host and port of a URL. While it is cut the port still listens: a refused connection is an error of
 * Node itself, which inside Jest is no `Error` of the code under test.
 */
export async function startTcpProxy(url: string): Promise<TcpProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    kept(near, sockets);
    if (isCut) return void near.once("data", () => near.end());
    const far = kept(connect(Number(port), hostname), sockets);
    near.pipe(far).pipe(near);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const laidAt = (server.address() as AddressInfo).port; // a TCP server that listens has one
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    through: (target) => target.replace(`${hostname}:${port}`, `127.0.0.1:${laidAt}`),
    cut,
    mend() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      cut();
      await once(server, "close");
    },
  };
}

function kept(socket: Socket, sockets: Set<Socket>): Socket {
  sockets.add(socket);
  return socket.on("error", () => socket.destroy()).on("close", () => sockets.delete(socket));
}
