import express, { type RequestHandler } from "express";
import pino from "pino";
import { testConfig } from "../test/support/config.ts";
import { exchangeBytes, type Listener, listen } from "../test/support/node/listen.ts";
import { expectSecureHeaders } from "../test/support/security-headers.ts";
import { createSmallGraph } from "../test/support/small-graph.ts";
import { createRestRouter, type RestOptions } from "./rest-router.ts";
import { ROUTES } from "./routes.ts";

const logger = pino({ level: "silent" });

/** An Express app with a route of its own, and the Router below /prefix. */
function startApp(options: Partial<RestOptions> = {}): Promise<Listener> {
  const app = express();
  const graph = createSmallGraph({ node: () => ({ networkId: "5", nodeId: null }) });
  app.use("/prefix", createRestRouter({ graph, config: testConfig({}), logger, ...options }));
  app.get("/own", (_request, response) => void response.send("own route"));
  return listen(app);
}

async function get(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

/** Middleware such as `on-headers`, which takes a list of headers for pairs of name and value. */
const readPairs: RequestHandler = (_request, response, next) => {
  const { writeHead } = response;
  response.writeHead = (status: number, ...rest: unknown[]) => {
    for (const [name, value] of (Array.isArray(rest[0]) ? rest[0] : []) as [string, string][])
      response.setHeader(name, value);
    return writeHead.call(response, status);
  };
  response.setHeader("vary", "x-own");
  next();
};

describe("the Router in an Express app with middleware that wraps responses", () => {
  it("sends all its headers, and keeps those of the middleware", async () => {
    const graph = createSmallGraph({ node: () => ({ networkId: "5", nodeId: null }) });
    await using app = await listen(
      express().use(readPairs, createRestRouter({ graph, config: testConfig({}), logger })),
    );
    const { status, headers } = await get(`${app.url}/v1/chains/7`);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expectSecureHeaders(headers);
    expect(headers.get("vary")).toBe("x-own, accept-encoding");
    const etag = headers.get("etag") ?? "";
    const unchanged = await get(`${app.url}/v1/chains/7`, { headers: { "if-none-match": etag } });
    expect([unchanged.status, unchanged.headers.get("vary")]).toEqual([304, "x-own, accept-encoding"]);
    expect((await get(`${app.url}/v1/unknown`)).status).toBe(404);
  });
});

describe("the Router in an Express app", () => {
  let app: Listener;
  beforeAll(async () => {
    app = await startApp();
  });
  afterAll(() => app[Symbol.asyncDispose]());

  it("answers the REST paths below its prefix", async () => {
    const { status, headers, text } = await get(`${app.url}/prefix/v1/chains/7`);
    expect([status, headers.get("content-type")]).toEqual([200, "application/json; charset=utf-8"]);
    expect(JSON.parse(text)).toMatchObject({ chainId: "7" });
    expectSecureHeaders(headers);
    expect((await get(`${app.url}/prefix/hosted/v1/chains/7`)).text).toBe(text);
  });

  it("answers unknown paths and methods below its prefix with the documented 404", async () => {
    for (const [method, path] of [
      ["GET", "/v1/nope"],
      ["POST", "/v1/chains"],
    ] as const) {
      const { status, text } = await get(`${app.url}/prefix${path}`, { method });
      const body = { message: `Cannot ${method} ${path}`, statusCode: 404, error: "Not Found" };
      expect([status, JSON.parse(text)]).toEqual([404, body]);
    }
  });

  it("leaves the other paths to the app, without headers of its own", async () => {
    const own = await get(`${app.url}/own`);
    expect([own.text, own.headers.has("access-control-allow-origin"), own.headers.has("x-request-id")]).toEqual([
      "own route",
      false,
      false,
    ]);
    expect((await get(`${app.url}/v1/chains`)).status).toBe(404);
  });

  it("answers JSON-RPC below its prefix", async () => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}';
    const headers = { "content-type": "application/json" };
    const answer = await get(`${app.url}/prefix/ext/info`, { method: "POST", headers, body });
    expect(answer.text).toBe('{"jsonrpc":"2.0","result":{"networkID":"5"},"id":1}\n');
  });

  it("redirects to clean node paths below its prefix", async () => {
    const request = "GET /prefix//ext/info HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
    expect(await exchangeBytes(app.port, request)).toMatch(/^HTTP\/1\.1 301 [\s\S]*Location: \/prefix\/ext\/info\r\n/);
  });

  it("has no node paths if it serves the metrics routes alone", async () => {
    await using metrics = await startApp({ bases: ["metrics"] });
    const { status, text } = await get(`${metrics.url}/prefix/ext/info`);
    expect([status, JSON.parse(text).message]).toEqual([404, ["Cannot GET /ext/info"]]);
  });
});

const SAMPLES: Readonly<Record<string, string>> = {
  network: "fuji",
  chainId: "7",
  address: `0x${"1".repeat(40)}`,
  blockchainId: "p-chain",
  nodeId: "NodeID-1",
  operationId: "1",
  txHash: "1",
  metric: "txCount",
};

const BODIES: Readonly<Record<string, string>> = {
  E1: JSON.stringify({ message: "00" }),
  E3: JSON.stringify({ type: "TRANSACTION_EXPORT_EVM", options: {} }),
};

describe("a resource that the graph answers with null", () => {
  const graph = { ...createSmallGraph(), prepare: () => async () => ({ data: { body: null } }) };

  it.each(ROUTES)("is 404 in the documented form for $id", async ({ id, path, method, base, onlyDialect }) => {
    await using app = await startApp({ graph });
    const url = path.replace(/\{(\w+)\}/g, (_, name: string) => SAMPLES[name] as string);
    const prefix = onlyDialect === "hosted" ? "/prefix/hosted" : "/prefix";
    const { status, text } = await get(`${app.url}${prefix}${url}?addresses=a&threshold=0`, {
      method,
      body: BODIES[id] ?? null,
      headers: { "content-type": "application/json" },
    });
    const sentence = expect.stringMatching(/^nothing was found for /);
    const body = { message: base === "metrics" ? [sentence] : sentence, statusCode: 404, error: "Not Found" };
    expect([status, JSON.parse(text)]).toEqual([404, body]);
  });
});
