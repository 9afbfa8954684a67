import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { createClient, type ErrorMessage, type NextMessage } from "graphql-ws";
import pino from "pino";
import WebSocket from "ws";
import { startServer } from "../../core/http/server.ts";
import { createSubgraphServer } from "../../subgraphs/shared/server/server.ts";
import { type Served, serveGateway } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";

const { supergraph, subgraphs } = createSmallSubgraphs();

/** The lines that the servers log. */
const logged: Record<string, unknown>[] = [];
const logger = pino({ level: "trace" }, { write: (line: string) => void logged.push(JSON.parse(line)) });
const servers: Record<string, Served> = {};

/** What libraries print on standard error. */
const printed: unknown[] = [];
const printError = console.error;

beforeAll(async () => {
  console.error = (...values: unknown[]) => void printed.push(values);
  servers["gateway"] = await serveGateway(subgraphs, logger, supergraph);
  const [things] = subgraphs;
  if (!things) throw new Error("there is no subgraph");
  const served = await createSubgraphServer({ schema: things.schema, context: () => ({}) }, logger);
  const server = await startServer({ host: "127.0.0.1", port: 0, handler: served.handler, upgrade: served.upgrade });
  servers["subgraph"] = {
    url: `http://127.0.0.1:${server.port}/graphql`,
    async [Symbol.asyncDispose]() {
      await served[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
});
afterAll(async () => {
  console.error = printError;
  for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
});
beforeEach(() => {
  logged.length = 0;
  printed.length = 0;
});

type Message = { readonly type: string; readonly payload?: unknown };

/** The messages that a server sends in answer to one `subscribe`, up to the last one. */
async function exchange(url: string, payload: object): Promise<Message[]> {
  const socket = new WebSocket(url.replace("http", "ws"), "graphql-transport-ws");
  const messages: Message[] = [];
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init" }));
  await new Promise<void>((done, fail) => {
    socket.on("close", (code, reason) => fail(new Error(`closed with ${code} ${reason}`)));
    socket.on("message", (text) => {
      const message = JSON.parse(String(text)) as NextMessage | ErrorMessage;
      if (message.type !== ("connection_ack" as string))
        messages.push({ type: message.type, payload: message.payload });
      else socket.send(JSON.stringify({ type: "subscribe", id: "1", payload }));
      if (["error", "complete"].includes(message.type)) done();
    });
  });
  socket.removeAllListeners("close");
  socket.terminate();
  return messages.map(({ type, payload }) => (payload === undefined ? { type } : { type, payload }));
}

describe.each(["gateway", "subgraph"])("a message that only servers send, to the %s", (name) => {
  it.each([
    { type: "connection_ack" },
    { id: "1", type: "next", payload: { data: {} } },
    { id: "1", type: "error", payload: [{ message: "x" }] },
  ])("closes the connection with 4400, without an error in the log: $type", async (message) => {
    const socket = new WebSocket((servers[name]?.url ?? "").replace("http", "ws"), "graphql-transport-ws");
    await once(socket, "open");
    socket.send(JSON.stringify(message));
    const [code] = await once(socket, "close");
    expect([code, logged, printed]).toEqual([4400, [], []]);
  });
});

describe.each(["gateway", "subgraph"])("GraphQL over WebSocket at the %s", (name) => {
  const send = (payload: object) => exchange(servers[name]?.url ?? "", payload);

  it.each([
    ["that cannot be parsed", { query: "{" }, "GRAPHQL_PARSE_FAILED"],
    ["that is not valid", { query: "{ nothing }" }, "GRAPHQL_VALIDATION_FAILED"],
    ["that is not a valid subscription", { query: "subscription { nothing }" }, "GRAPHQL_VALIDATION_FAILED"],
  ])("answers a document %s with one error message, without HTTP details", async (_, payload, code) => {
    expect(await send(payload)).toEqual([
      {
        type: "error",
        payload: [{ message: expect.any(String), locations: expect.any(Array), extensions: { code } }],
      },
    ]);
  });

  it("answers an operation name that the document does not have with an error message", async () => {
    const [message, ...rest] = await send({ query: "query A { thing { id } }", operationName: "B" });
    expect([message?.type, rest]).toEqual(["error", []]);
  });

  it("answers queries, and subscriptions with one message for each event", async () => {
    expect(await send({ query: "{ thing { id } }" })).toEqual([
      { type: "next", payload: { data: { thing: { id: "1" } } } },
      { type: "complete" },
    ]);
    expect(await send({ query: "subscription { changed { name } }" })).toEqual([
      { type: "next", payload: { data: { changed: { name: "first" } } } },
      { type: "complete" },
    ]);
  });

  it("answers a bug as an internal error without details, and logs it", async () => {
    const errors = [{ message: "internal error", path: ["thing", "broken"], extensions: { code: "INTERNAL" } }];
    expect(await send({ query: "{ thing { broken } }" })).toMatchObject([
      { type: "next", payload: { data: { thing: { broken: null } }, errors } },
      { type: "complete" },
    ]);
    expect(logged).toMatchObject([{ level: 50, msg: "a GraphQL operation failed", err: { message: "a bug" } }]);
  });

  it("logs one line for a client that leaves before its messages are sent", async () => {
    const { hostname, port } = new URL(servers[name]?.url ?? "");
    const socket = connect(Number(port), hostname);
    socket.write(
      [
        "GET /graphql HTTP/1.1",
        "host: test",
        "connection: upgrade",
        "upgrade: websocket",
        "sec-websocket-version: 13",
        `sec-websocket-key: ${Buffer.alloc(16).toString("base64")}`,
        "sec-websocket-protocol: graphql-transport-ws",
        "\r\n",
      ].join("\r\n"),
    );
    await once(socket, "data");
    const frames = maskedFrames(JSON.stringify({ type: "ping" }), 20_000);
    await new Promise((sent) => socket.write(frames, sent));
    socket.resetAndDestroy();
    while (logged.length === 0) await setImmediate();
    // Nothing follows while the server answers other requests.
    const client = createClient({ url: (servers[name]?.url ?? "").replace("http", "ws"), webSocketImpl: WebSocket });
    for (let i = 0; i < 3; i++) await client.iterate({ query: "{ thing { id } }" }).next();
    await client.dispose();
    expect(printed).toEqual([]);
    expect(logged.map(({ msg }) => msg)).toEqual(["a WebSocket connection failed"]);
  });

  it("logs one line for a message above the size limit, and closes the connection", async () => {
    const socket = new WebSocket((servers[name]?.url ?? "").replace("http", "ws"), "graphql-transport-ws");
    await once(socket, "open");
    socket.send("x".repeat(2_000_000));
    const [code] = await once(socket, "close");
    expect(code).toBe(1009);
    expect(printed).toEqual([]);
    expect(logged.map(({ msg }) => msg)).toEqual(["a WebSocket connection failed"]);
  });
});

describe("an operation over WebSocket whose conditions exclude all of its fields", () => {
  it.each(["query", "mutation", "subscription"])("has an empty answer: %s", async (kind) => {
    const field = { query: "things { id }", mutation: "change", subscription: "changed { id }" }[kind];
    const [name = "", ...selection] = field?.split(" ") ?? [];
    const query = `${kind} { ${name} @skip(if: true) ${selection.join(" ")} }`;
    expect(await exchange(servers["gateway"]?.url ?? "", { query })).toEqual([
      { type: "next", payload: { data: {} } },
      { type: "complete" },
    ]);
  });

  it("has the caller's alias in each event", async () => {
    const query = "subscription { __proto__: changed { __proto__: name } }";
    const [message] = await exchange(servers["gateway"]?.url ?? "", { query });
    expect(JSON.stringify(message?.payload)).toBe('{"data":{"__proto__":{"__proto__":"first"}}}');
  });
});

/** A client's frames, all with the same text. A mask of zeros leaves the text as it is. */
function maskedFrames(text: string, count: number): Buffer {
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 | text.length, 0, 0, 0, 0]), Buffer.from(text)]);
  return Buffer.concat(Array.from({ length: count }, () => frame));
}
