import { once } from "node:events";
import { createServer, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { bodyOf, endWithBody, releaseBody, takeBody } from "./body-bytes.ts";
import { DefaultedResponse } from "./response.ts";

const LENGTH = 100_000;

/** The text of the nth response. */
const textOf = (at: number): string => String(at % 10).repeat(LENGTH);

const OWN: ServerOptions = { ServerResponse: DefaultedResponse };

/** A server that answers the path `/<n>` with the nth text. */
async function serve(onBody: (body: string | Buffer) => void = () => {}, options: ServerOptions = OWN) {
  const server = createServer(options, (request, response) => {
    const body = bodyOf(textOf(Number(request.url?.slice(1))));
    onBody(body);
    endWithBody(response, body);
  });
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

/** Reads until the texts of this number of responses have arrived, and returns them. */
async function readTexts(socket: Socket, count: number): Promise<string[]> {
  let received = "";
  for await (const chunk of socket) {
    received += chunk;
    if (
      received
        .split("HTTP/1.1 200")
        .at(-1)
        ?.endsWith(textOf(count - 1)) &&
      received.length > count * LENGTH
    )
      break;
  }
  return received
    .split("HTTP/1.1 200")
    .slice(1)
    .map((response) => response.slice(response.indexOf("\r\n\r\n") + 4));
}

describe("the memory of bodies", () => {
  /** Whether memory of two bodies that were sent one after the other is used by later ones. */
  async function isUsedAgain(options: ServerOptions): Promise<boolean> {
    const bodies: Buffer[] = [];
    {
      await using server = await serve((body) => bodies.push(body as Buffer), options);
      for (const path of ["/1", "/2"])
        expect(await (await fetch(server.url + path)).text()).toBe(textOf(Number(path[1])));
    }
    const later = Array.from({ length: 50 }, () => takeBody(LENGTH).buffer);
    return bodies.some(({ buffer }) => later.includes(buffer));
  }

  it("is used by another body when a response is complete", async () => {
    expect(await isUsedAgain(OWN)).toBe(true);
  });

  it("is not used again on a server that is not Moraine's own, whose middleware may keep bodies", async () => {
    expect(await isUsedAgain({})).toBe(false);
  });

  it("is not used by another body before the caller has received the response", async () => {
    await using server = await serve();
    const count = 60;
    const socket = connect(server.port, "127.0.0.1");
    await once(socket, "connect");
    socket.pause();
    for (let at = 0; at < count; at++) socket.write(`GET /${at} HTTP/1.1\r\nhost: test\r\n\r\n`);
    // The other responses are sent while those to the socket wait.
    for (let at = 0; at < count; at++) expect(await (await fetch(`${server.url}/${at}`)).text()).toBe(textOf(at));
    const texts = await readTexts(socket, count);
    socket.destroy();
    expect(texts.map((text, at) => text === textOf(at))).toEqual(Array.from({ length: count }, () => true));
  });

  it("is given back once, also if it is released again", () => {
    const body = takeBody(LENGTH);
    releaseBody(body);
    releaseBody(body);
    const [one, other] = [takeBody(LENGTH), takeBody(LENGTH)];
    expect(one.buffer).toBe(body.buffer);
    expect(other.buffer).not.toBe(body.buffer);
  });

  it.each([0, 1, 4_096, 4_097, 131_072, 131_073])("has room for exactly %i bytes", (length) => {
    expect(takeBody(length).length).toBe(length);
  });

  it("holds a long text in UTF-8, and no short one", () => {
    const long = "ä€😀".repeat(1_000);
    expect([bodyOf(long).toString("utf8"), bodyOf("ä€😀")]).toEqual([long, "ä€😀"]);
  });
});
