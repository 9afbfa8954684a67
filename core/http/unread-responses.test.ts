import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";

it("the handle of a connection has the numbers of bytes of which Node.js declares no types", async () => {
  const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
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
