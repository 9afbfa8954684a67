import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, createServer as createSocketServer } from "node:net";
import { messageOf } from "../errors/errors.ts";
import { workOf } from "./caller-left.ts";
import { trackConnections } from "./connections.ts";
import { limitAnswerTime } from "./guards.ts";

const CHECK_MS = 5;

/** A server that checks its responses every 5 ms. */
async function serve(answer: (response: ServerResponse) => void) {
  const server = createServer();
  limitAnswerTime(server, trackConnections(server), CHECK_MS);
  server.on("request", (_request, response) => answer(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

describe("a request without a response for 25 checks", () => {
  it("is answered with the reason, because its work is cancelled", async () => {
    await using server = await serve((response) => {
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
    await using server = await serve((response) => {
      const work = workOf(response);
      response.write("begun, ");
      setTimeout(() => response.end(work.reason ? "cancelled" : "not cancelled"), 60 * CHECK_MS);
    });
    expect(await (await fetch(server.url)).text()).toBe("begun, not cancelled");
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
