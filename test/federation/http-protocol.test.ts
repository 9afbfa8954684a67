import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { buildSubgraphSchema } from "@apollo/subgraph";
import { parse } from "graphql";
import { createLogger } from "../../core/observability/logger.ts";
import { composeSupergraph } from "../../gateway/compose.ts";
import { type Served, serveGateway } from "./served.ts";

const SDL = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key"])
  type Query { count: Int echo(text: String, size: Int): String }
  type Mutation { change: Int }
  type Subscription { ticks: Int silent: Int slow: Int }`;

/** Subscriptions that were started, and those of them that have ended. */
const sources = { started: 0, ended: 0 };

/** Counts its start and its end. Has the events, and then none any more. */
function counted(...events: object[]) {
  sources.started++;
  let isEnded = false;
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      const value = events.shift();
      return value ? { done: false, value } : new Promise(() => {});
    },
    async return() {
      if (!isEnded) sources.ended++;
      isEnded = true;
      return { done: true, value: undefined };
    },
  };
}

async function* ticks() {
  for (let tick = 1; tick <= 2; tick++) yield { ticks: tick };
}

/** What a subscription waits for before it starts. */
let start: Promise<void> = Promise.resolve();

let changes = 0;
const resolvers = {
  Query: { count: () => 2, echo: (_: unknown, { text }: { readonly text: string }) => text },
  Mutation: { change: () => ++changes },
  Subscription: {
    ticks: { subscribe: ticks },
    silent: { subscribe: () => counted({ silent: 1 }) },
    slow: {
      async subscribe() {
        await start;
        return counted();
      },
    },
  },
};
const subgraph = {
  name: "only",
  schema: buildSubgraphSchema({ typeDefs: parse(SDL), resolvers: resolvers as never }),
  context: () => ({}),
};

let gateway: Served;
beforeAll(async () => {
  const supergraph = composeSupergraph([{ name: "only", url: "http://only", sdl: SDL }]);
  gateway = await serveGateway([subgraph], createLogger("silent"), supergraph);
});
afterAll(() => gateway[Symbol.asyncDispose]());

type Headers = Readonly<Record<string, string>>;

async function post(body: object | string | Buffer, headers: Headers = {}) {
  const all = { "content-type": "application/json", accept: "application/json", ...headers };
  const isRaw = typeof body === "string" || Buffer.isBuffer(body);
  const response = await fetch(gateway.url, {
    method: "POST",
    headers: all,
    body: isRaw ? new Uint8Array(Buffer.from(body as string)) : JSON.stringify(body),
  });
  return { status: response.status, type: response.headers.get("content-type"), text: await response.text() };
}

const COUNT = { status: 200, type: "application/json; charset=utf-8", text: '{"data":{"count":2}}' };

describe("a GraphQL request", () => {
  it("may have members that the server does not know", async () => {
    expect(await post({ query: "{ count }", id: 7, extensions: { other: true } })).toEqual(COUNT);
  });

  it("may have an empty operationName, by POST and by GET", async () => {
    expect(await post({ query: "query One { count }", operationName: "" })).toEqual(COUNT);
    const parameters = new URLSearchParams({ query: "query One { count }", operationName: "" });
    expect(await (await fetch(`${gateway.url}?${parameters}`)).text()).toBe(COUNT.text);
  });

  it.each([
    ["Application/JSON", "Application/Json"],
    ["application/json ; charset=utf-8", "application/json ; q=0.5"],
    ["application/json;charset=UTF-8", "text/html;q=0.1 , APPLICATION/JSON"],
  ])("may write media types in any case and with spaces: %s and %s", async (type, accept) => {
    expect(await post({ query: "{ count }" }, { "content-type": type, accept })).toEqual(COUNT);
  });

  it.each([
    ["gzip", gzipSync],
    ["GZIP", gzipSync],
    ["br", brotliCompressSync],
  ])("may have a compressed body: %s", async (encoding, compress) => {
    const body = compress(JSON.stringify({ query: "{ count }" }));
    expect(await post(body, { "content-encoding": encoding })).toEqual(COUNT);
  });

  it("is refused if its body is larger than the limit when it is decompressed, is damaged, or has an unknown encoding", async () => {
    const bomb = gzipSync(Buffer.alloc(100_000_000, " "));
    const refused = (body: Buffer | string, encoding: string) => post(body, { "content-encoding": encoding });
    expect(await refused(bomb, "gzip")).toMatchObject({ status: 413, text: expect.stringContaining("1048576 bytes") });
    expect(await refused("no gzip", "gzip")).toMatchObject({ status: 400, text: expect.stringContaining("as gzip") });
    expect(await refused("{}", "zip")).toMatchObject({
      status: 415,
      text: expect.stringContaining("gzip, deflate, br"),
    });
  });

  it("is answered in the type that it prefers, and never in one with the weight 0", async () => {
    const json = "application/graphql-response+json";
    const typeOf = async (accept: string) => (await post({ query: "{ count }" }, { accept })).type?.split(";")[0];
    expect(await typeOf(`application/json;q=0.5, ${json}`)).toBe(json);
    expect(await typeOf(`application/json;q=0, ${json};q=0.1`)).toBe(json);
    expect(await typeOf(`*/*, application/json;q=0`)).toBe(json);
    expect(await post({ query: "mutation { change }" }, { accept: "application/json;q=0" })).toMatchObject({
      status: 406,
    });
    expect(changes).toBe(0);
  });

  it.each([
    ["a document that cannot be parsed", { query: "{" }, "GRAPHQL_PARSE_FAILED"],
    ["a document that is not valid", { query: "{ nothing }" }, "GRAPHQL_VALIDATION_FAILED"],
    ["an unknown operationName", { query: "{ count }", operationName: "Other" }, "OPERATION_RESOLUTION_FAILURE"],
    [
      "a variable that does not fit",
      { query: "query ($size: Int) { echo(size: $size) }", variables: { size: "x" } },
      "INVALID_PARAMETER",
    ],
  ])("with %s has an answer without data, and a status by its type", async (_, body, code) => {
    for (const [accept, status] of [
      ["application/json", 200],
      ["application/graphql-response+json", 400],
    ] as const) {
      const answer = await post(body, { accept });
      const { data, errors } = JSON.parse(answer.text);
      expect([answer.status, data, errors[0].extensions.code]).toEqual([status, undefined, code]);
    }
    const { text } = await post(body, { accept: "text/event-stream" });
    expect(text).toMatch(
      new RegExp(`^:\\n\\nevent: next\\ndata: {"errors":.*"${code}".*\\n\\nevent: complete\\ndata:\\n\\n$`),
    );
  });
});

const TICKS = { query: "subscription { ticks }" };

describe("a subscription over HTTP", () => {
  it.each([
    ["by POST", (accept: string) => post({ query: "subscription { silent }" }, { accept })],
    [
      "by GET",
      async (accept: string) => {
        const response = await fetch(`${gateway.url}?query=subscription{silent}`, { headers: { accept } });
        return { status: response.status, text: await response.text() };
      },
    ],
  ])("%s is refused before it starts if the caller accepts no events", async (_, send) => {
    const before = sources.started;
    for (const accept of ["application/json", "application/graphql-response+json"])
      expect(await send(accept)).toMatchObject({ status: 406, text: expect.stringContaining("text/event-stream") });
    expect(sources.started).toBe(before);
  });

  it("is sent by the multipart protocol of Apollo Client to a caller who asks for it", async () => {
    const accept = 'multipart/mixed;boundary="graphql";subscriptionSpec="1.0",application/json';
    const { status, type, text } = await post(TICKS, { accept });
    expect([status, type]).toEqual([200, 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0']);
    const parts = text.split("\r\n--graphql");
    expect(parts.at(-1)).toBe("--\r\n");
    expect(parts.slice(1, -1).map((part) => part.split("\r\n\r\n")[1])).toEqual([
      "{}",
      '{"payload":{"data":{"ticks":1}}}',
      '{"payload":{"data":{"ticks":2}}}',
    ]);
    // Queries have their usual answer.
    expect(await post({ query: "{ count }" }, { accept })).toEqual(COUNT);
  });

  it("ends its source whenever its caller leaves", async () => {
    let begin = () => {};
    start = new Promise((resolve) => {
      begin = resolve;
    });
    const before = sources.started;
    const leave = async (query: string, afterMs: number | null) => {
      const headers = { "content-type": "application/json", accept: "text/event-stream" };
      const sent = httpRequest(gateway.url, { method: "POST", headers });
      sent.on("error", () => {});
      sent.end(JSON.stringify({ query }));
      if (afterMs === null) {
        const [response] = (await once(sent, "response")) as [IncomingMessage];
        await once(response, "data");
      } else await sleep(afterMs);
      sent.destroy();
    };
    const silent = Array.from({ length: 30 }, (_, at) => leave("subscription { silent }", at < 20 ? at : null));
    const slow = Array.from({ length: 10 }, (_, at) => leave("subscription { slow }", 20 + at));
    await Promise.all([...silent, ...slow]);
    begin();
    while (sources.started < before + 10 || sources.ended < sources.started) await sleep(5);
    expect(sources.ended).toBe(sources.started);
    // The caller may open as many streams as before.
    for (let round = 0; round < 3; round++)
      expect((await post(TICKS, { accept: "text/event-stream" })).text).toContain('"ticks":2');
  });
});
