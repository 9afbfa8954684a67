import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { messageOf } from "../errors/errors.ts";
import { discardBody, readBody } from "./body.ts";

const MIB = 1 << 20;

type Watch = (request: IncomingMessage) => void;

/**
 * A server that answers with the length of each body, or with the error. `watch` is called before a body is read, and when it has ended.
 * `onRefusal` is called after the answer with an error was sent.
 */
async function serve(watch: Watch = () => {}, onRefusal: (response: ServerResponse) => void = () => {}) {
  const server = createServer((request, response) => {
    watch(request);
    readBody(request, MIB).then(
      (body) => response.end(`${body.length} bytes`),
      (error: unknown) => {
        response.writeHead(400, { connection: "close" }).write(messageOf(error));
        discardBody(request, () => response.end());
        onRefusal(response);
      },
    );
    request.once("end", () => watch(request));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    post: async (body: string) =>
      (await fetch(`http://127.0.0.1:${port}`, { method: "POST", body, headers: { connection: "close" } })).text(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** Sends all of a body of 1 MiB but its last byte. */
async function sendNearly(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const head = `POST / HTTP/1.1\r\nhost: x\r\ncontent-length: ${MIB}\r\n\r\n`;
  await new Promise((done) => socket.write(head + "x".repeat(MIB - 1), done));
  return socket;
}

const TOO_MANY = "the body must have at most 25,000 values";

describe("a body", () => {
  it.each([
    ["a list", `[${"1,".repeat(25_000)}1]`],
    ["nested lists", "[".repeat(25_001)],
    ["an object", `{${Array.from({ length: 25_001 }, (_, at) => `"a${at}":1`).join()}}`],
    ["lists in lists", `[${"[{}],".repeat(9_000)}1]`],
  ])("is refused if it has too many values in %s", async (_, body) => {
    await using server = await serve();
    expect(await server.post(body)).toBe(TOO_MANY);
  });

  it("may have long strings and 25,000 values", async () => {
    await using server = await serve();
    const body = `["${"x".repeat(900_000)}",${"1,".repeat(24_997)}1]`;
    expect(await server.post(body)).toBe(`${body.length} bytes`);
  });

  it("is refused if it arrives slowly while many other large ones arrive, which are read", async () => {
    await using server = await serve();
    const first = await sendNearly(server.port);
    const refused = once(first, "data");
    const others: Socket[] = [];
    for (let at = 0; at < 32; at++) others.push(await sendNearly(server.port));
    expect(String((await refused)[0])).toContain("the service is overloaded");
    expect(await server.post("x".repeat(MIB))).toBe(`${MIB} bytes`);
    for (const socket of [first, ...others]) socket.destroy();
  });

  it("that was read leaves no listener for the close of its request, which would make an error for each", async () => {
    const listeners: number[] = [];
    await using server = await serve((request) => listeners.push(request.listenerCount("close")));
    expect(await server.post("{}")).toBe("2 bytes");
    const [before, after] = listeners;
    expect(after).toBe(before);
  });

  it("that has arrived completely is refused without waiting for the rest", async () => {
    const ended: boolean[] = [];
    await using server = await serve(undefined, ({ writableEnded }) => ended.push(writableEnded));
    expect(await server.post("[".repeat(25_001))).toBe(TOO_MANY);
    expect(ended).toEqual([true]);
  });

  it.each([
    ["too many parts, and the rest is not read", "1\r\nx\r\n".repeat(10_001), "at most 10,000 parts (chunks)", true],
    [
      "too many bytes, and the rest is discarded",
      `${(MIB + 1).toString(16)}\r\n${"x".repeat(MIB + 1)}`,
      "bytes",
      false,
    ],
  ])("is refused if it arrives in %s", async (_, bytes, rule, isClosed) => {
    const closed: boolean[] = [];
    await using server = await serve(undefined, ({ req }) => closed.push(req.socket.destroyed));
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.on("error", () => {});
    socket.write("POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n");
    socket.write(bytes);
    expect(String((await once(socket, "data"))[0])).toContain(rule);
    expect(closed).toEqual([isClosed]);
    socket.destroy();
  });
});
