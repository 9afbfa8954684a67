import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, connect, createServer as createSocketServer } from "node:net";
import { withResolvers } from "../async/with-resolvers.ts";
import { messageOf } from "../errors/errors.ts";
import { trackConnections, workOf } from "./connections.ts";
import { limitAnswerTime, limitUnreadBytes } from "./guards.ts";

const CHECK_MS = 5;

/** A server that checks its responses and connections every 5 ms. */
async function serve(answer: RequestListener) {
  const server = createServer();
  const connections = trackConnections(server);
  limitAnswerTime(server, connections, CHECK_MS);
  limitUnreadBytes(server, connections, Number.POSITIVE_INFINITY, CHECK_MS);
  server.on("request", answer);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

describe("a request without a response for 25 checks", () => {
  it("is answered with the reason, because its work is cancelled", async () => {
    await using server = await serve((_request, response) => {
      const work = workOf(response);
      work.onCancel.add(() => response.writeHead(503).end(messageOf(work.reason)));
    });
    const response = await fetch(server.url);
    expect([response.status, await response.text()]).toEqual([503, "the request took longer than 120 s"]);
  });

  it("loses its connection if cancelling does not help", async () => {
    await using server = await serve(() => {});
    await expect(fetch(server.url)).rejects.toThrow("fetch failed");
  });

  it("goes on if its response has begun", async () => {
    await using server = await serve((_request, response) => {
      const work = workOf(response);
      response.write("begun, ");
      setTimeout(() => response.end(work.reason ? "cancelled" : "not cancelled"), 60 * CHECK_MS);
    });
    expect(await (await fetch(server.url)).text()).toBe("begun, not cancelled");
  });
});

describe("a client that reads nothing of its answer for 30 checks", () => {
  const LARGE = Buffer.alloc(1 << 26);
  const askLarge = (port: number) => {
    const socket = connect(port, "127.0.0.1").pause();
    socket.on("error", () => {});
    socket.write("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
    return socket;
  };

  it("loses its connection, and no other client", async () => {
    const closed = withResolvers();
    await using server = await serve(({ url, socket }, response) => {
      if (url === "/large") {
        socket.once("close", closed.resolve);
        response.end(LARGE);
      } else {
        response.write("begun, ");
        void closed.promise.then(() => response.end("not closed"));
      }
    });
    const quiet = await fetch(server.url);
    askLarge(server.port);
    await closed.promise;
    expect(await quiet.text()).toBe("begun, not closed");
  });

  it("loses its connection although it sends line breaks", async () => {
    await using server = await serve((_request, response) => void response.end(LARGE));
    const socket = askLarge(server.port);
    const closed = new Promise((resolve) => socket.once("close", resolve));
    const sending = setInterval(() => socket.write("\r\n"), 20);
    await closed;
    clearInterval(sending);
  });
});

it("the handle of a connection has the numbers of bytes of which Node.js declares no types", async () => {
  const server = createSocketServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "connect");
  expect(Reflect.get(socket, "_handle")).toMatchObject({
    bytesWritten: expect.any(Number),
    writeQueueSize: expect.any(Number),
  });
  socket.destroy();
  server.close();
  await once(server, "close");
});
