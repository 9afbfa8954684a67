import { once } from "node:events";
import { type ServerResponse, STATUS_CODES } from "node:http";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { recordRejections } from "../../test/support/metrics.ts";
import { expectNotStored, expectSecureAnswer } from "../../test/support/security-headers.ts";
import { type RunningServer, type ServerOptions, startServer } from "./server.ts";

function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const handler: ServerOptions["handler"] = ({ url }, response) => void response.end(`answer to ${url}`);
  return startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, handler, ...options });
}

/** Sends a request. Resolves with all bytes that the server sends until it closes the connection. */
async function exchange(port: number, request: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(request);
  return text(socket);
}

const CLOSE = "Connection: close\r\n\r\n";

describe("a server", () => {
  it.each([
    ["without a Host header", "GET / HTTP/1.1\r\n", "the request must have a Host header"],
    ["with two Host headers", "GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n", "the request must have only one Host header"],
    [
      "with an unknown expectation",
      "GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n",
      'the Expect header must be 100-continue, got "x"',
    ],
    [
      "whose target is no URL",
      "GET http://[::1/v1 HTTP/1.1\r\nHost: a\r\n",
      'the request target must be a path or a URL, got "http://[::1/v1"',
    ],
  ])("refuses a request %s with a GraphQL error", async (_, head, message) => {
    await using server = await start();
    const answer = await exchange(server.port, head + CLOSE);
    expectNotStored(answer);
    const [status = "", body = ""] = answer.split("\r\n\r\n");
    expect(status).toMatch(
      /^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*\r\ncontent-type: application\/json; charset=utf-8\r\n/,
    );
    expect(JSON.parse(body)).toEqual({ errors: [{ message, extensions: { code: "INVALID_PARAMETER" } }] });
  });

  it("handles the requests of a connection in their order", async () => {
    const SOCKETS = 6;
    const urls: string[] = [];
    await using server = await start({
      handler({ url = "" }, response) {
        urls.push(url);
        response.end();
      },
    });
    const sockets = await Promise.all(
      Array.from({ length: SOCKETS }, async () => {
        const socket = connect(server.port, "127.0.0.1");
        await once(socket, "connect");
        return socket;
      }),
    );
    // All are sent before the server, in this process, reads any.
    for (const [at, socket] of sockets.entries())
      socket.write(`GET /${at}/1 HTTP/1.1\r\nHost: a\r\n\r\nGET /${at}/2 HTTP/1.1\r\nHost: a\r\n${CLOSE}`);
    await Promise.all(sockets.map((socket) => text(socket)));
    for (let at = 0; at < SOCKETS; at++)
      expect(urls.filter((url) => url.startsWith(`/${at}/`))).toEqual([`/${at}/1`, `/${at}/2`]);
  });

  it("refuses such requests with the configured handler", async () => {
    const refuse = (_request: unknown, response: ServerResponse, reason: string) =>
      void response.end(`refused: ${reason}`);
    await using server = await start({ refuse });
    expect(await exchange(server.port, `GET / HTTP/1.1\r\n${CLOSE}`)).toMatch(/refused: the request must have a Host/);
  });

  it("answers HTTP/1.0 requests without a Host header, and 100-continue expectations", async () => {
    await using server = await start();
    expect(await exchange(server.port, "GET /a HTTP/1.0\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 [\s\S]*answer to \/a$/);
    const head = "GET /b HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n";
    expect(await exchange(server.port, head + CLOSE)).toMatch(/HTTP\/1\.1 200 [\s\S]*answer to \/b$/);
  });

  it.each([
    ["a request", "GET /a HTTP/1.1\r\nHost: a\r\nx-request-id: given\r\n", 200],
    ["a request without a Host header", "GET / HTTP/1.1\r\nx-request-id: given\r\n", 400],
  ])("sends security headers and the request id with its answer to %s", async (_, head, status) => {
    await using server = await start();
    const answer = await exchange(server.port, head + CLOSE);
    expectSecureAnswer(answer, status);
    expect(answer).toMatch(/\r\nx-request-id: given\r\n/);
  });

  it.each([
    ["bytes that are not HTTP", "hello\r\n\r\n", 400, "the request must be valid HTTP/1.1"],
    [
      "headers above the limit",
      `GET / HTTP/1.1\r\nHost: a\r\ncookie: ${"x".repeat(20_000)}\r\n\r\n`,
      431,
      "URL and headers must be of at most 16 KiB together",
    ],
    ["the method CONNECT", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", 400, "the method CONNECT is not supported"],
  ])(
    "answers %s with the documented error, security headers and a new request id",
    async (_, bytes, status, message) => {
      await using server = await start();
      const answer = await exchange(server.port, bytes);
      expectSecureAnswer(answer, status);
      expectNotStored(answer);
      expect(JSON.parse(answer.split("\r\n\r\n")[1] ?? "")).toEqual({
        message,
        statusCode: status,
        error: STATUS_CODES[status],
      });
    },
  );

  it.each(["*", "http://a/b", "/b"])("answers a request with the target %s", async (target) => {
    await using server = await start();
    const answer = await exchange(server.port, `GET ${target} HTTP/1.1\r\nHost: a\r\n${CLOSE}`);
    expect(answer.split("\r\n\r\n")[1]).toBe(`answer to ${target}`);
  });

  const H2C = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n";

  it.each<[string, Partial<ServerOptions>]>([
    ["no upgrades", {}],
    ["WebSockets", { upgrade: (_request, socket) => void socket.end("WebSocket") }],
  ])("that accepts %s ignores an upgrade to h2c and keeps the connection", async (_, options) => {
    await using server = await start(options);
    const socket = connect(server.port, "127.0.0.1");
    for (const path of ["/1", "/2"]) {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n${H2C}\r\n`);
      expect(String(await once(socket, "data"))).toMatch(new RegExp(`^HTTP/1.1 200 OK[\\s\\S]*answer to ${path}$`));
    }
    socket.end();
  });

  it("opens a WebSocket on its WebSocket path, and answers a handshake on other paths as a plain request", async () => {
    const upgrade: ServerOptions["upgrade"] = (_request, socket) => void socket.end("WebSocket");
    await using server = await start({ upgrade, acceptsUpgrade: ({ url }) => url === "/graphql" });
    const handshake = (path: string) =>
      `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;
    expect(await exchange(server.port, handshake("/graphql"))).toBe("WebSocket");
    const after = "GET /after HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    expect(await exchange(server.port, handshake("/other") + after)).toMatch(
      /answer to \/other[\s\S]*answer to \/after$/,
    );
  });
});

describe("malformed bytes", () => {
  it("are answered after all requests that the connection has sent before them", async () => {
    const responses: ServerResponse[] = [];
    await using server = await start({ handler: (_request, response) => void responses.push(response) });
    const socket = connect(server.port, "127.0.0.1");
    socket.write("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\nhello\r\n\r\n");
    const received = text(socket);
    await until(() => responses.length === 2);
    socket.write("more\r\n\r\n");
    for (const response of responses.toReversed()) response.end(`answer to ${response.req.url}`);
    expect((await received).match(/answer to \/[ab]|HTTP\/1\.1 \d+/g)).toEqual([
      "HTTP/1.1 200",
      "answer to /a",
      "HTTP/1.1 200",
      "answer to /b",
      "HTTP/1.1 400",
    ]);
  });

  it("in a request's body are answered at once, unless the answer has begun: then the connection is closed", async () => {
    const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    await using silent = await start({ handler() {} });
    expect(await exchange(silent.port, `${head}no length\r\n`)).toMatch(/^HTTP\/1\.1 400 /);
    await using begun = await start({ handler: (_request, response) => void response.write("begun") });
    const socket = connect(begun.port, "127.0.0.1");
    let received = "";
    socket.on("data", (bytes) => {
      received += bytes;
    });
    socket.write(head);
    await until(() => received.includes("begun"));
    socket.write("no length\r\n");
    await once(socket, "close");
    expect(received).not.toContain("HTTP/1.1 400");
  });
});

describe("a server that protects itself", () => {
  it("closes all responses of a connection that closes, also those that wait for earlier ones", async () => {
    let closed = 0;
    let begun = 0;
    const handler: ServerOptions["handler"] = (_, response) => {
      begun++;
      response.once("close", () => closed++);
    };
    await using server = await start({ handler });
    const client = connect(server.port, "127.0.0.1");
    client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(10));
    await until(() => begun === 10);
    client.destroy();
    await until(() => closed === 10);
  });

  it("closes a connection with more than 100 unanswered requests, and answers 100", async () => {
    const rejected = await recordRejections();
    const waiting: ServerResponse[] = [];
    const handler: ServerOptions["handler"] = (_, response) => void waiting.push(response);
    await using server = await start({ handler });
    const one = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const first = connect(server.port, "127.0.0.1");
    first.write(one.repeat(100));
    await until(() => waiting.length === 100);
    const second = connect(server.port, "127.0.0.1").on("error", () => {});
    second.write(one.repeat(5_000));
    await new Promise((done) => second.resume().once("close", done));
    // Requests that wait for their turn when the connection is closed are not handled.
    expect(waiting.length).toBeGreaterThan(100);
    expect(waiting.length).toBeLessThanOrEqual(200);
    expect(waiting.filter(({ destroyed }) => destroyed)).toEqual(waiting.slice(100));
    expect(await rejected("too_many_unanswered")).toBe(1);
    for (const response of waiting.slice(0, 100)) response.end("answer");
    let received = "";
    first.on("data", (chunk) => {
      received += chunk;
    });
    await until(() => received.split("answer").length === 101);
    first.destroy();
  });

  it("closes connections whose clients read nothing, the oldest first, when too many bytes are unread", async () => {
    const rejected = await recordRejections();
    const handler: ServerOptions["handler"] = (_, response) => void response.end(Buffer.alloc(1 << 24));
    await using server = await start({ handler, unreadBytes: 5 << 22 });
    const open = async () => {
      const socket = connect(server.port, "127.0.0.1");
      socket.on("error", () => {});
      socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
      await once(socket, "readable");
      return socket;
    };
    const [first, second] = [await open(), await open()];
    await until(async () => (await rejected("slow_consumer")) > 0);
    const read = async (socket: Socket) => {
      let received = 0;
      socket.on("data", (chunk: Buffer) => {
        received += chunk.length;
        if (received > 1 << 24) socket.end();
      });
      // Not `once` of Node.js, which rejects if the connection was reset.
      await new Promise((done) => socket.once("close", done));
      return received;
    };
    expect(await read(first)).toBeLessThan(1 << 24);
    expect(await read(second)).toBeGreaterThan(1 << 24);
    expect(await rejected("slow_consumer")).toBe(1);
  });

  it("refuses connections of an address that has too many, until one of them is closed", async () => {
    await using server = await start({ connectionsPerAddress: 2 });
    const open = [1, 2].map(() => connect(server.port, "127.0.0.1"));
    await Promise.all(open.map((socket) => once(socket, "connect")));
    const ask = async () => {
      const socket = connect(server.port, "127.0.0.1");
      let answer = "";
      // The server resets the connection if the request arrives after the refusal.
      socket
        .on("error", () => {})
        .on("data", (chunk: Buffer) => {
          answer += String(chunk);
        });
      socket.write(`GET /a HTTP/1.1\r\nHost: a\r\n${CLOSE}`);
      await once(socket, "close");
      return answer;
    };
    const refusal = await ask();
    expectSecureAnswer(refusal, 503);
    expectNotStored(refusal);
    expect(refusal).toMatch(/\r\nretry-after: 1\r\n/);
    expect(refusal).toMatch(/\r\n\r\n\{"message":"too many open connections from this address","statusCode":503,/);
    open[0]?.destroy();
    await until(async () => (await ask()).endsWith("answer to /a"));
    open[1]?.destroy();
  });
});

interface KeepAliveClient {
  /** The number of complete responses. */
  readonly answered: () => number;
  /** Resolves with the way in which the connection ended. */
  readonly end: Promise<"asked to close" | "cut off">;
}

/** Sends one request after the other on one connection until a response has `connection: close`. */
function sendRepeatedly(port: number, pauseMs: number): KeepAliveClient {
  const socket = connect(port, "127.0.0.1");
  let received = "";
  let answered = 0;
  let hasCloseHeader = false;
  const send = () => void socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  socket.on("connect", send);
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => {
    received += chunk.toString("latin1");
    const isWhole = received.endsWith("whole");
    if (!isWhole) return;
    answered++;
    hasCloseHeader = /^connection: close\r$/im.test(received);
    received = "";
    if (!hasCloseHeader) setTimeout(send, pauseMs);
  });
  const end = once(socket, "close").then(() => (hasCloseHeader ? ("asked to close" as const) : ("cut off" as const)));
  return { answered: () => answered, end };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(1);
}

describe("a server that stops under load", () => {
  it("answers every request on its open connections, and tells each client to close its connection", async () => {
    let count = 0;
    const handler: ServerOptions["handler"] = (_request, response) =>
      void setTimeout(() => response.end("whole"), count++ % 5);
    const server = await startServer({ host: "127.0.0.1", port: 0, handler });
    const clients = Array.from({ length: 40 }, (_, at) => sendRepeatedly(server.port, at % 7));
    await until(() => clients.every(({ answered }) => answered() > 5));
    await server[Symbol.asyncDispose]();
    const ends = await Promise.all(clients.map(({ end }) => end));
    expect(ends).toEqual(clients.map(() => "asked to close"));
  });

  it("adds connection: close to a response whose headers are not sent yet", async () => {
    const responses: ServerResponse[] = [];
    const server = await startServer({
      host: "127.0.0.1",
      port: 0,
      handler: (_, response) => void responses.push(response),
    });
    const answer = exchange(server.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await until(() => responses.length > 0);
    const stopped = server[Symbol.asyncDispose]();
    responses[0]?.end("whole");
    expect(await answer).toMatch(/\r\nConnection: close\r\n[\s\S]*whole$/);
    await stopped;
  });

  it("closes connections that stay idle", async () => {
    const server = await start({ idleGraceMs: 20 });
    const socket = connect(server.port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    await once(socket, "data");
    await Promise.all([once(socket, "close"), server[Symbol.asyncDispose]()]);
  });

  it("closes connections on which no request was sent", async () => {
    const server = await start({ idleGraceMs: 20 });
    const socket = connect(server.port, "127.0.0.1");
    // The server has accepted both connections when it answers the later one.
    await once(socket, "connect");
    await exchange(server.port, `GET / HTTP/1.1\r\nHost: a\r\n${CLOSE}`);
    // Without it, the connection stays open for ten seconds.
    await Promise.all([once(socket, "close"), server[Symbol.asyncDispose]()]);
  }, 5_000);

  it("accepts connections during the delay after its signal is aborted, and answers with connection: close", async () => {
    const end = new AbortController();
    const shutdown = { delaySeconds: 1, limitSeconds: 1 };
    let drained = 0;
    const server = await start({ signal: end.signal, shutdown, onDrain: () => drained++ });
    end.abort();
    expect(await exchange(server.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")).toMatch(/\r\nConnection: close\r\n/);
    await server[Symbol.asyncDispose]();
    expect(drained).toBe(1);
  });

  it("closes connections that are open at the end of its limit", async () => {
    let isReceived = false;
    const handler = () => {
      isReceived = true;
    };
    const server = await start({ handler, shutdown: { delaySeconds: 0, limitSeconds: 0.02 } });
    const answer = exchange(server.port, "GET / HTTP/1.1\r\nHost: a\r\n\r\n").catch(() => "");
    await until(() => isReceived);
    await server[Symbol.asyncDispose]();
    expect(await answer).toBe("");
  });
});
