import pino from "pino";
import type { Config } from "../../core/config/config-schema.ts";
import { startServer } from "../../core/http/server.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger, type Logger } from "../../core/observability/logger.ts";
import { createHttpGraphClient } from "../../rest-compat/graph/http-graph-client.ts";
import { createRestServer } from "../../rest-compat/rest-server.ts";
import { testConfig } from "../support/config.ts";
import { exchangeBytes } from "../support/node/listen.ts";
import { openWire, recordedCalls } from "../support/node-http/node-http.ts";
import { type NodeStack, startNodeStack } from "../support/node-http/node-http-stack.ts";

const RECORDED = recordedCalls();
const calls = ["usual", "info-arguments"].flatMap((file) => RECORDED.get(file) ?? []);

interface Told {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

function ask(url: string, method: string, more: object = { id: 1 }, headers: object = {}): Promise<Told> {
  const path = method.startsWith("health.") ? "/ext/health" : "/ext/info";
  return post(url, JSON.stringify({ jsonrpc: "2.0", method, ...more }), headers, path);
}

async function post(url: string, body: string, headers: object = {}, path = "/ext/info"): Promise<Told> {
  const sent = { "content-type": "application/json", ...headers };
  const response = await fetch(url + path, { method: "POST", headers: sent, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === "" ? null : JSON.parse(text) };
}

/** Only the node interface, over the gateway of another process. */
async function startOverGateway(
  gatewayUrl: string,
  config: Config = testConfig(),
  logger: Logger = createLogger("silent"),
): Promise<{ readonly url: string } & AsyncDisposable> {
  const graph = await createHttpGraphClient(
    { url: `${gatewayUrl}/graphql`, keyHeader: "x-service-api-key", logger },
    new AbortController().signal,
  );
  const rest = createRestServer({ graph, config, logger, counters: createLocalCounters() });
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, ...rest });
  return {
    url: `http://127.0.0.1:${server.port}`,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await graph[Symbol.asyncDispose]();
    },
  };
}

const error = (code: number, message: unknown, id: unknown = 1) => ({
  jsonrpc: "2.0",
  error: { code, message, data: null },
  id,
});

describe("Moraine's own errors on node paths are JSON-RPC error objects, with an HTTP status:", () => {
  it("429 when a caller's limit is used up; each method has a cost, and probes have none", async () => {
    await using stack = await startNodeStack({ calls, settings: { computeUnitsPerMinute: 12 } });
    const first = await ask(stack.url, "info.peers");
    expect([first.status, first.headers.get("ratelimit-remaining")]).toEqual([200, "2"]);
    expect((await ask(stack.url, "info.getNetworkID")).status).toBe(200);
    expect((await ask(stack.url, "nothing")).status).toBe(200);
    const refused = await ask(stack.url, "info.getNetworkID", { id: "a<b" });
    expect(refused).toMatchObject({
      status: 429,
      body: error(-32005, expect.stringMatching(/^the limit of 12 compute units per minute is used up/), "a<b"),
    });
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await ask(stack.url, "info.getNetworkID", {})).toMatchObject({ status: 429, body: null });
    for (const body of ["{", "[]", '{"method":1}'])
      expect(await post(stack.url, body)).toMatchObject({
        status: 429,
        body: error(-32005, expect.any(String), null),
      });
    for (const path of ["", "/health", "/readiness", "/liveness"])
      expect((await fetch(`${stack.url}/ext/health${path}`)).status).toBe(200);
  });

  it("429 for a method that costs more than the caller's whole limit, with a message that does not promise success later", async () => {
    await using stack = await startNodeStack({ calls, settings: { computeUnitsPerMinute: 9 } });
    const never = await ask(stack.url, "info.peers");
    expect(never.headers.get("retry-after")).toBeNull();
    expect(never).toMatchObject({
      status: 429,
      body: error(
        -32005,
        "this request costs 10 compute units, more than the limit of 9 per minute: it can never succeed with this limit",
      ),
    });
    expect((await ask(stack.url, "info.getNetworkID")).status).toBe(200);
  });

  it("401 for a key that is unknown or restricted to another network, because clients retry a 403", async () => {
    const apiKeys = [
      { key: "for-mainnet", networks: ["mainnet"] },
      { key: "for-fuji", networks: ["fuji"] },
    ];
    await using stack = await startNodeStack({ calls, settings: { apiKeys } });
    const by = (key: string) => ask(stack.url, "info.getNetworkID", { id: "a<b" }, { "x-glacier-api-key": key });
    expect(await by("nobody-s")).toMatchObject({ status: 401, body: error(-32001, expect.any(String), "a<b") });
    expect(await by("for-mainnet")).toMatchObject({ status: 401, body: error(-32003, expect.any(String), "a<b") });
    expect((await by("for-fuji")).status).toBe(200);
    const unread = await post(stack.url, "{", { "x-glacier-api-key": "nobody-s" });
    expect(unread).toMatchObject({ status: 401, body: error(-32001, expect.any(String), null) });
    const evmChains = [{ chainId: 1, network: "fuji", nodeUrl: "http://127.0.0.1:1", chainName: "Any" }];
    await using ofEvm = await startOverGateway(stack.url, testConfig({ evmChains, apiKeys }));
    const statuses = ["for-mainnet", "for-fuji"].map(
      async (key) => (await ask(ofEvm.url, "info.getNetworkID", { id: 1 }, { "x-glacier-api-key": key })).status,
    );
    expect(await Promise.all(statuses)).toEqual([401, 200]);
  });

  it("400 for a body above the limit, with or without a content length", async () => {
    await using stack = await startNodeStack({ calls, settings: { bodyLimitBytes: 1_000 } });
    const message = "the body must be of at most 1000 bytes";
    const sent = { id: 1, params: { foo: "x".repeat(1_000) } };
    expect(await ask(stack.url, "info.getNetworkID", sent)).toMatchObject({
      status: 400,
      body: error(-32602, message, null),
    });
    const head = "POST /ext/info HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    const chunk = `400\r\n${"x".repeat(1_024)}\r\n0\r\n\r\n`;
    const answer = await exchangeBytes(
      stack.port,
      `${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n[\s\S]*"code":-32602/);
  });

  it("404 on a public server for node-specific methods; headers have no node id either", async () => {
    await using stack = await startNodeStack({ calls, nodeInterface: { public: true } });
    const methods = ["info.getNodeID", "info.getNodeIP", "info.getVMs"];
    for (const method of [...methods, "health.health", "health.readiness", "health.liveness"]) {
      const refused = await ask(stack.url, method);
      const message = expect.stringContaining("not available on a public server");
      expect(refused).toMatchObject({ status: 404, body: error(-32601, message) });
      expect(refused.headers.has("node-id")).toBe(false);
    }
    for (const path of ["", "/health", "/readiness", "/liveness"]) {
      const response = await fetch(`${stack.url}/ext/health${path}`);
      expect([response.status, await response.json()]).toEqual([404, error(-32601, expect.any(String), null)]);
    }
    const open = await ask(stack.url, "info.peers");
    expect([open.status, open.headers.has("node-id")]).toEqual([200, false]);
  });

  it("502 without the node's address if the node does not answer; other paths continue to work", async () => {
    await using stack = await startNodeStack({ calls, nodeInterface: { nodeUrl: "http://127.0.0.1:9" } });
    const refused = await ask(stack.url, "info.getNodeIP");
    expect(refused).toMatchObject({
      status: 502,
      body: error(-32007, expect.stringMatching(/^the node did not answer/)),
    });
    expect(JSON.stringify(refused.body)).not.toContain("127.0.0.1");
    expect((await fetch(`${stack.url}/ext/health`)).status).toBe(503);
    expect((await fetch(`${stack.url}/ext/health/liveness`)).status).toBe(200);
    expect((await fetch(`${stack.url}/ext/nothing`)).status).toBe(404);
    const lines: string[] = [];
    const logger = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
    await using edge = await startOverGateway(stack.url, testConfig(), logger);
    for (let i = 0; i < 3; i++) expect((await ask(edge.url, "info.getNodeIP")).status).toBe(502);
    // The node's client has reported the failure.
    expect(lines).toEqual([]);
  });

  it("503 while the graph is unavailable, except for liveness, which needs no graph", async () => {
    const startAlone = async (config: Config) => {
      await using stack = await startNodeStack({ calls });
      return await startOverGateway(stack.url, config);
    };
    await using edge = await startAlone(testConfig());
    await using open = await startAlone(testConfig({ nodeInterface: { public: true } }));
    const alive = { checks: {}, healthy: true };
    const plain = await fetch(`${edge.url}/ext/health/liveness`);
    expect([plain.status, await plain.text()]).toEqual([200, '{"checks":{},"healthy":true}\n']);
    expect(await ask(edge.url, "health.liveness")).toMatchObject({ status: 200, body: { result: alive, id: 1 } });
    const refused = await ask(edge.url, "health.readiness");
    expect(refused).toMatchObject({ status: 503, body: error(-32006, expect.any(String)) });
    expect(refused.headers.get("retry-after")).toBe("1");
    for (const path of ["", "/health", "/readiness"])
      expect((await fetch(`${edge.url}/ext/health${path}`)).status).toBe(503);
    expect((await fetch(`${open.url}/ext/health/liveness`)).status).toBe(503);
  });
});

describe("node paths", () => {
  let stack: NodeStack;
  beforeAll(async () => {
    stack = await startNodeStack({ calls, nodeInterface: { allowedHosts: ["*"] } });
  });
  afterAll(() => stack[Symbol.asyncDispose]());

  const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"info.getNetworkID"}';
  const ANSWER = '{"jsonrpc":"2.0","result":{"networkID":"12345"},"id":1}\n';
  const post = (headers: string, host = "Host: localhost\r\n") =>
    Buffer.from(
      `POST /ext/info HTTP/1.1\r\n${host}${headers}Content-Type: application/json\r\nContent-Length: ${REQUEST.length}\r\n\r\n${REQUEST}`,
    );

  it("accept any Host header by default", async () => {
    using wire = openWire(stack.port);
    const answer = await wire.exchange(post("", "Host: example.com\r\n"), "POST");
    expect([answer?.status, answer?.body.toString()]).toEqual([200, ANSWER]);
  });

  it("ignore an upgrade to HTTP/2, which a Java client requests each time, and keep the connection", async () => {
    using wire = openWire(stack.port);
    const upgrade =
      "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n";
    for (const headers of [...Array.from({ length: 20 }, () => upgrade), ""]) {
      const answer = await wire.exchange(post(headers), "POST");
      expect([answer?.status, answer?.body.toString()]).toEqual([200, ANSWER]);
    }
  });

  it("answer pipelined requests in order", async () => {
    using wire = openWire(stack.port);
    const get = Buffer.from("GET /ext/health/liveness HTTP/1.1\r\nHost: a\r\n\r\n");
    const first = wire.exchange(Buffer.concat([post(""), get]), "POST");
    expect((await first)?.body.toString()).toBe(ANSWER);
    expect((await wire.exchange(Buffer.alloc(0), "GET"))?.body.toString()).toBe('{"checks":{},"healthy":true}\n');
  });

  it("do not change the rules of other paths", async () => {
    const lacking = await exchangeBytes(stack.port, "GET /v1/chains HTTP/1.1\r\n\r\n");
    expect(lacking).toMatch(/^HTTP\/1\.1 400 /);
    const broken = await exchangeBytes(stack.port, "FOO /v1/chains HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(broken).toMatch(/content-type: application\/json[\s\S]*"statusCode":400/);
  });

  const PROBE = "GET /ext/health/liveness HTTP/1.1\r\nHost: a\r\n";
  const POST = "POST /ext/info HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nConnection: close\r\n";
  it.each([
    ["CONNECT", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", "400"],
    ["a first line that ends with LF alone", "GET /ext/info HTTP/1.1\nHost: a\n\n", "505"],
    ["a header that ends with LF alone", `${PROBE}A: b\n\n`, "400"],
    ["empty lines before a request", `\r\n\r\n${PROBE}Connection: close\r\n\r\n`, "200"],
    ["a length that is told twice", `${POST}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`, "400"],
    ["a chunk of a length that is none", `${POST}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`, "400"],
    ["a folded header", `${PROBE}A: b\r\n c\r\n\r\n`, "400"],
    ["a byte beyond ASCII in the URL", "GET /ext/info?\u00e9 HTTP/1.1\r\nHost: a\r\n\r\n", "400"],
    ["a target of FTP", "GET ftp://a/ext/info HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "404"],
  ])("differ from a node's paths only as documented: %s", async (_, bytes, status) => {
    const answer = await exchangeBytes(stack.port, bytes);
    expect(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1] ?? answer).toBe(status);
  });

  it("return the same through a gateway in another process", async () => {
    await using edge = await startOverGateway(stack.url);
    const { url } = edge;
    const answer = await ask(url, "info.getNodeVersion");
    expect(answer.body).toEqual({ jsonrpc: "2.0", result: stack.node.resultOf("info.getNodeVersion"), id: 1 });
    expect(answer.headers.get("node-id")).toBe(stack.node.nodeId);
    const refused = await ask(url, "info.isBootstrapped");
    expect(refused).toMatchObject({ status: 200, body: error(-32000, "argument 'chain' not given") });
    expect((await fetch(`${url}/ext/health`)).status).toBe(200);
  });
});
