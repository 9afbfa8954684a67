import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { endConnection } from "./closing-answer.ts";

describe("the end of a connection", () => {
  it("sends the last bytes, and comes even if the client keeps its side open", async () => {
    const server = createServer({ allowHalfOpen: true }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const client = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const [accepted] = (await once(server, "connection")) as [Socket];
    const closed = once(accepted, "close");
    endConnection(accepted, "last bytes");
    expect(String((await once(client, "data"))[0])).toBe("last bytes");
    await closed;
    client.destroy();
    server.close();
  });
});
