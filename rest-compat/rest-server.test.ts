import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import pino from "pino";
import { FAILURES, Failure } from "../core/errors/errors.ts";
import { startServer } from "../core/http/server.ts";
import { createLocalCounters } from "../core/limits/rate-counters.ts";
import { signalOf } from "../core/work/work.ts";
import { testConfig } from "../test/support/config.ts";
import { exchangeBytes, type Listener } from "../test/support/node/listen.ts";
import { expectSecureAnswer, expectSecureHeaders } from "../test/support/security-headers.ts";
import { createSmallGraph, SMALL_CHAIN } from "../test/support/small-graph.ts";
import type { RestOptions } from "./rest-router.ts";
import { createRestServer } from "./rest-server.ts";

const SPECIAL_CHARACTERS = 'a"\\\u0000\ud800';

/** A server over the small graph, and the lines that it has logged. */
async function startSmall(
  settings: Record<string, unknown> = {},
  overrides: Partial<RestOptions> = {},
): Promise<Listener & { readonly logged: Record<string, unknown>[] }> {
  const logged: Record<string, unknown>[] = [];
  const logger = pino({ level: "info" }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const config = testConfig(settings);
  const options = { graph: createSmallGraph(), config, logger, counters: createLocalCounters(), ...overrides };
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, ...createRestServer(options) });
  return { ...server, url: `http://127.0.0.1:${server.port}`, logged };
}

/** The small graph, in which operations that select one of these root fields never end. */
function hangingGraph(fields: readonly string[]): RestOptions["graph"] {
  const graph = createSmallGraph();
  return {
    ...graph,
    prepare(document) {
      const [, field = ""] = /body: (\w+)/.exec(document) ?? [];
      return fields.includes(field) ? () => new Promise(() => {}) : graph.prepare(document);
    },
  };
}

async function get(url: string, init?: RequestInit) {
  const response = await fetch(url, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === "" ? null : JSON.parse(text) };
}

describe("a caller who leaves", () => {
  it("is noticed by the operation; a caller who already has the answer is not", async () => {
    const graph = createSmallGraph();
    const left: boolean[] = [];
    let begun = () => {};
    const hangs = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const watching: RestOptions["graph"] = {
      ...graph,
      prepare: (document) => {
        const run = graph.prepare(document);
        return async (variables, info) => {
          const signal = signalOf(info.work);
          if (variables["chainId"] !== "hangs") {
            signal.addEventListener("abort", () => left.push(true));
            return run(variables, info);
          }
          begun();
          await once(signal, "abort");
          left.push(false);
          return run(variables, info);
        };
      },
    };
    await using rest = await startSmall({}, { graph: watching });
    await get(`${rest.url}/v1/chains/1`);
    const leave = new AbortController();
    const answer = fetch(`${rest.url}/v1/chains/hangs`, { signal: leave.signal });
    answer.catch(() => {});
    await hangs;
    leave.abort();
    for (let turn = 0; turn < 1_000 && left.length === 0; turn++) await get(`${rest.url}/v1/chains/1`);
    expect(left).toEqual([false]);
    expect(rest.logged).toEqual([]);
  });
});

describe("the REST server", () => {
  let rest: Awaited<ReturnType<typeof startSmall>>;
  beforeAll(async () => {
    rest = await startSmall({ bodyLimitBytes: 100_000 });
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  it.each(Object.entries(FAILURES))("answers the graph's %s with its row of the table", async (code, row) => {
    const { status, body, headers } = await get(`${rest.url}/v1/chains/${code}`, { headers: { "x-request-id": "r1" } });
    const message = code === "INTERNAL" ? "unexpected error, the log has it under request id r1" : `secret of ${code}`;
    expect(status).toBe(row.http);
    expect(body).toEqual({ message, statusCode: row.http, error: row.status });
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  it.each([
    ["BAD_USER_INPUT", 400],
    ["DOWNSTREAM_SERVICE_ERROR", 502],
    ["SUBREQUEST_HTTP_ERROR", 502],
    ["GATEWAY_TIMEOUT", 503],
    ["GRAPHQL_VALIDATION_FAILED", 500],
    ["SOMETHING_NEW", 500],
  ])("answers the foreign code %s with %i", async (code, status) => {
    const answer = await get(`${rest.url}/v1/chains/${code}`);
    expect(answer.status).toBe(status);
    if (status > 400) expect(answer.text).not.toContain("secret");
  });

  it("logs an unexpected error with its request id and cause, and does not log client errors", async () => {
    rest.logged.length = 0;
    await get(`${rest.url}/v1/chains/SOMETHING_NEW`, { headers: { "x-request-id": "r2" } });
    await get(`${rest.url}/v1/chains/NOT_FOUND`);
    expect(rest.logged).toHaveLength(1);
    expect(rest.logged[0]).toMatchObject({ requestId: "r2", err: { message: "secret of SOMETHING_NEW" } });
  });

  it("answers 500 if the graph throws, and continues to serve", async () => {
    const graph = createSmallGraph();
    const broken = { ...graph, prepare: () => async () => Promise.reject(new TypeError("secret")) };
    await using other = await startSmall({}, { graph: broken });
    const { status, text } = await get(`${other.url}/v1/chains`);
    expect([status, text.includes("secret")]).toEqual([500, false]);
    expect((await get(`${other.url}/v1/live-check`)).status).toBe(200);
    expect((await get(`${other.url}/v1/health-check`)).status).toBe(503);
  });

  it("passes special characters from the path to the response unchanged", async () => {
    const { body } = await get(`${rest.url}/v1/chains/${encodeURIComponent('a"\\\u0000/中')}`);
    expect(body.chainId).toBe('a"\\\u0000/中');
    await using other = await startSmall(
      {},
      {
        graph: createSmallGraph({
          chain: () => ({ ...SMALL_CHAIN, chainId: SPECIAL_CHARACTERS, chainName: SPECIAL_CHARACTERS }),
        }),
      },
    );
    expect((await get(`${other.url}/v1/chains/1`)).body.chainName).toBe(SPECIAL_CHARACTERS);
  });

  it("answers HEAD with the headers of GET and no body", async () => {
    const one = await get(`${rest.url}/v1/chains`);
    const head = await get(`${rest.url}/v1/chains`, { method: "HEAD" });
    expect([head.status, head.text]).toEqual([200, ""]);
    expect(head.headers.get("content-length")).toBe(one.headers.get("content-length"));
    expect(await exchangeBytes(rest.port, "HEAD /v1/nope HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 404 Not Found\r\n(?:.+\r\n)+\r\n$/,
    );
  });

  it.each(["POST", "PUT", "PATCH", "DELETE", "PROPFIND"])("answers %s on a known path with 404", async (method) => {
    const { status, body } = await get(`${rest.url}/v1/chains?a=b`, { method });
    expect([status, body.message]).toEqual([404, `Cannot ${method} /v1/chains`]);
  });

  it("answers a preflight, and allows web pages of other origins to read headers", async () => {
    const response = await fetch(`${rest.url}/v1/chains`, {
      method: "OPTIONS",
      headers: { origin: "http://a.example", "access-control-request-method": "GET" },
    });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    const allowed = response.headers.get("access-control-allow-headers");
    expect(allowed).toBe(
      "content-type, if-none-match, x-request-id, authorization, traceparent, tracestate, baggage, x-service-api-key, x-glacier-api-key, idempotency-key",
    );
    expect(response.headers.get("access-control-max-age")).toBe("86400");
    const { headers } = await get(`${rest.url}/v1/nope`);
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(headers.get("access-control-expose-headers")).toContain(
      "ratelimit-remaining, ratelimit-reset, retry-after, x-request-id",
    );
  });

  it("uses the caller's request id if it is valid, else a new one", async () => {
    const ids = await Promise.all(
      ["abc-1", "a b", "x".repeat(129), ""].map(async (id) => {
        const { headers } = await get(`${rest.url}/v1/chains`, { headers: { "x-request-id": id } });
        return headers.get("x-request-id");
      }),
    );
    expect(ids[0]).toBe("abc-1");
    for (const id of ids.slice(1)) expect(id).toMatch(/^[0-9a-f]{8}-/);
    expect(new Set(ids).size).toBe(4);
  });

  it("refuses a URL that is too long", async () => {
    const { status, body } = await get(`${rest.url}/v1/chains?x=${"y".repeat(13_000)}`);
    expect([status, body.message]).toEqual([400, "URL must be of at most 12288 characters, got 13013"]);
  });

  it("takes a target in absolute form, as proxies send it", async () => {
    const answer = await exchangeBytes(
      rest.port,
      "GET http://x/v1/chains/7?a=b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n",
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*"chainId":"7"/);
  });

  it.each([
    ["GET http://[::1/v1 HTTP/1.1", 'the request target must be a path or a URL, got "http://[::1/v1"'],
    ["CONNECT a:1 HTTP/1.1", "the method CONNECT is not supported"],
  ])("refuses the request line %j with 400", async (line, message) => {
    const answer = await exchangeBytes(rest.port, `${line}\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expectSecureAnswer(answer, 400);
    const [, body = ""] = answer.split("\r\n\r\n");
    expect(JSON.parse(body)).toEqual({ message, statusCode: 400, error: "Bad Request" });
  });

  it.each([
    "GET * HTTP/1.1",
    "GET foo HTTP/1.1",
    "GET ?a HTTP/1.1",
    "GET /\u00e9%41?\u00ff HTTP/1.1",
    "GET /%2F%2f%00 HTTP/1.1",
  ])("answers the request line %j", async (line) => {
    const answer = await exchangeBytes(rest.port, `${line}\r\nhost: x\r\nconnection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 (200|400|404) /);
  });

  it("ignores the body of a GET request", async () => {
    const body = "x".repeat(100_000);
    expect(await requested(rest.port, "/v1/chains/5", body)).toMatchObject({ status: 200 });
    expect(await requested(rest.port, "/v1/chains/5", body, true)).toMatchObject({ status: 200 });
  });

  it.each([
    ["with a length", false],
    ["in chunks", true],
  ])(
    "refuses a body %s that is too large, and closes the connection after the response was received",
    async (_, isChunked) => {
      for (let round = 0; round < 10; round++) {
        const answer = await requested(rest.port, "/v1/chains", "x".repeat(1_000_000), isChunked);
        expect(answer).toMatchObject({ status: 400, connection: "close" });
        expect(JSON.parse(answer.text).message).toBe("the body must be of at most 100000 bytes");
      }
    },
  );

  it("continues to serve after clients disconnect during a request", async () => {
    for (const bytes of ["POST /v1/chains HTTP/1.1\r\nhost: x\r\ncontent-length: 50\r\n\r\nabc", "GET /v1/cha"]) {
      const socket = connect(rest.port, "127.0.0.1");
      await once(socket, "connect");
      socket.write(bytes);
      await new Promise((done) => setTimeout(done, 20));
      socket.resetAndDestroy();
    }
    rest.logged.length = 0;
    expect((await get(`${rest.url}/v1/chains`)).status).toBe(200);
    expect(rest.logged).toEqual([]);
  });

  it("continues to serve after clients disconnect before the response", async () => {
    const chains = () => new Promise((done) => setTimeout(done, 50, { chains: [] }));
    await using slow = await startSmall({}, { graph: createSmallGraph({ chains }) });
    for (let round = 0; round < 5; round++) {
      const leaving = fetch(`${slow.url}/v1/chains`, { signal: AbortSignal.timeout(10 + round * 10) });
      await expect(leaving).rejects.toThrow();
    }
    expect((await get(`${slow.url}/v1/chains`)).status).toBe(200);
    expect(slow.logged).toEqual([]);
  });

  it("serves a welcome page and the OpenAPI document", async () => {
    const page = await fetch(`${rest.url}/`);
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const html = await page.text();
    for (const path of ["graphql", "v1/chains", "openapi.json"]) expect(html).toContain(`href="${path}"`);
    expect((await get(`${rest.url}/openapi.json`)).body.openapi).toBe("3.1.0");
  });

  it.each(["/v1/health-check", "/v1/live-check", "/v2/health-check", "/v2/live-check", "/hosted/v1/health-check"])(
    "answers 200 at %s",
    async (path) => {
      expect(await get(rest.url + path)).toMatchObject({ status: 200, body: { status: "ok" } });
    },
  );

  it("answers 503 at the health check while the graph fails, and 200 at the live check", async () => {
    const graph = createSmallGraph({ chains: () => Promise.reject(new Error("secret")) });
    await using other = await startSmall({}, { graph });
    expect(await get(`${other.url}/v1/health-check`)).toMatchObject({
      status: 503,
      body: { message: "the database does not answer correctly", statusCode: 503, error: "Service Unavailable" },
    });
    expect((await get(`${other.url}/v1/live-check`)).status).toBe(200);
  });

  it.each([
    ["the gateway", ["chains", "chain", "__typename"], "the gateway did not answer within 0.02 s"],
    ["the evm subgraph", ["chains", "chain"], "the evm subgraph did not answer within 0.02 s"],
    ["the database", ["chains"], "the database did not answer within 0.06 s"],
  ])("answers 503 at the health check, and names the part, while %s hangs", async (_, hanging, message) => {
    await using other = await startSmall({}, { graph: hangingGraph(hanging), probeLimitMs: 60 });
    for (const path of ["/v1/health-check", "/hosted/v1/health-check"])
      expect(await get(other.url + path)).toMatchObject({
        status: 503,
        body: { message, statusCode: 503, error: "Service Unavailable" },
      });
    expect((await get(`${other.url}/v2/health-check`)).body.message).toEqual([message]);
    expect((await get(`${other.url}/v1/live-check`)).status).toBe(200);
  });

  it("sends the graph one health check at a time", async () => {
    let checks = 0;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const chains = async () => {
      checks++;
      await answered;
      return { chains: [] };
    };
    await using other = await startSmall({}, { graph: createSmallGraph({ chains }) });
    const callers = Array.from({ length: 5 }, () => get(`${other.url}/v1/health-check`));
    // All others have arrived before this one is answered.
    await get(`${other.url}/v1/live-check`);
    answer();
    for (const { status } of await Promise.all(callers)) expect(status).toBe(200);
    expect(checks).toBe(1);
    expect((await get(`${other.url}/v1/health-check`)).status).toBe(200);
    expect(checks).toBe(2);
  });

  it("reads the list of chains once for its health checks, then its first chain until the settings lack it", async () => {
    const read: string[] = [];
    let ids = ["7", "8"];
    const chains = () => {
      read.push("all");
      return { chains: ids.map((chainId) => ({ chainId })) };
    };
    const chain = ({ chainId }: Record<string, unknown>) => {
      read.push(String(chainId));
      if (!ids.includes(String(chainId))) throw new Failure("NOT_FOUND", "no such chain");
      return { chainId };
    };
    await using other = await startSmall({}, { graph: createSmallGraph({ chains, chain }) });
    const check = async () => expect((await get(`${other.url}/v1/health-check`)).status).toBe(200);
    for (let n = 0; n < 3; n++) await check();
    ids = ["9"];
    for (let n = 0; n < 2; n++) await check();
    expect(read).toEqual(["all", "7", "7", "7", "all", "9"]);
  });

  it("reads the first chain of its settings for its health checks, and not the list of chains", async () => {
    const read: string[] = [];
    const chains = () => {
      read.push("all");
      return { chains: [] };
    };
    const chain = ({ chainId }: Record<string, unknown>) => {
      read.push(String(chainId));
      return { chainId };
    };
    const evmChains = [7, 8].map((chainId) => ({
      chainId,
      network: "fuji",
      nodeUrl: "http://127.0.0.1:1",
      chainName: `chain ${chainId}`,
    }));
    await using other = await startSmall({ evmChains }, { graph: createSmallGraph({ chains, chain }) });
    for (let n = 0; n < 2; n++) expect((await get(`${other.url}/v1/health-check`)).status).toBe(200);
    expect(read).toEqual(["7", "7"]);
  });

  it("is healthy while one of its chains can be read, and reads this chain from then on", async () => {
    const read: string[] = [];
    let lost = ["none"];
    const chains = () => ({ chains: ["7", "8", "9"].map((chainId) => ({ chainId })) });
    const chain = ({ chainId }: Record<string, unknown>) => {
      read.push(String(chainId));
      if (lost.includes(String(chainId))) throw new Failure("UNAVAILABLE", "its worker is away");
      return { chainId };
    };
    await using other = await startSmall({}, { graph: createSmallGraph({ chains, chain }) });
    const check = async () => (await get(`${other.url}/v1/health-check`)).status;
    for (const state of [["none"], ["none"], ["7", "8"], ["7", "8"]]) {
      lost = state;
      expect(await check()).toBe(200);
    }
    expect(read).toEqual(["7", "7", "8", "9", "9"]);
    lost = ["7", "8", "9"];
    expect(await check()).toBe(503);
  });

  it("fails one check if the database of its chain hangs, and reads another chain in the next", async () => {
    let hangs = false;
    const chains = () => ({ chains: ["7", "8"].map((chainId) => ({ chainId })) });
    const chain = ({ chainId }: Record<string, unknown>) =>
      hangs && chainId === "7" ? new Promise(() => {}) : { chainId };
    await using other = await startSmall({}, { graph: createSmallGraph({ chains, chain }), probeLimitMs: 60 });
    const check = async () => (await get(`${other.url}/v1/health-check`)).status;
    expect([await check(), await check()]).toEqual([200, 200]);
    hangs = true;
    expect([await check(), await check(), await check()]).toEqual([503, 200, 200]);
  });

  it("answers the reports of health without a wait for a node subgraph that hangs; liveness is healthy", async () => {
    await using other = await startSmall(
      {},
      { graph: hangingGraph(["health", "readiness", "liveness"]), probeLimitMs: 20 },
    );
    expect(await get(`${other.url}/ext/health/liveness`)).toMatchObject({ status: 200, body: { healthy: true } });
    for (const path of ["/ext/health", "/ext/health/readiness"])
      expect(await get(other.url + path)).toMatchObject({
        status: 503,
        body: { error: { code: -32006, message: "the node subgraph did not answer within 0.02 s" } },
      });
  });
});

describe("a REST server that stops", () => {
  const report = { healthy: true, checks: [] };
  const graph = createSmallGraph({ health: () => report, readiness: () => report, liveness: () => report });

  const reason = "the server is shutting down";

  it.each<[string, string | readonly string[]]>([
    ["/v1/live-check", reason],
    ["/v1/health-check", reason],
    ["/v2/live-check", [reason]],
    ["/hosted/v1/live-check", reason],
  ])("fails its probe %s with 503, logs nothing about it, and answers data", async (path, message) => {
    const stop = new AbortController();
    await using rest = await startSmall({}, { graph, signal: stop.signal });
    expect((await get(rest.url + path)).status).toBe(200);
    stop.abort();
    expect(await get(rest.url + path)).toMatchObject({
      status: 503,
      body: { message, statusCode: 503, error: "Service Unavailable" },
    });
    expect((await fetch(rest.url + path)).headers.get("retry-after")).toBe("1");
    expect((await get(`${rest.url}/v1/chains/1`)).status).toBe(200);
    expect(rest.logged).toEqual([]);
  });

  it.each(["/ext/health", "/ext/health/readiness", "/ext/health/liveness"])(
    "adds the failed check shuttingDown to the report %s",
    async (path) => {
      const stop = new AbortController();
      await using rest = await startSmall({}, { graph, signal: stop.signal });
      expect(await get(rest.url + path)).toMatchObject({ status: 200, body: { checks: {}, healthy: true } });
      stop.abort();
      expect(await get(rest.url + path)).toMatchObject({
        status: 503,
        body: { checks: { shuttingDown: { error: "server shutting down" } }, healthy: false },
      });
    },
  );
});

describe("the headers of REST", () => {
  let rest: Awaited<ReturnType<typeof startSmall>>;
  beforeAll(async () => {
    const chains = () => ({
      chains: Array.from({ length: 200 }, (_, at) => ({ ...SMALL_CHAIN, chainId: String(at) })),
    });
    rest = await startSmall({}, { graph: createSmallGraph({ chains }) });
  });
  afterAll(() => rest[Symbol.asyncDispose]());

  it.each([
    ["/v1/chains", { "cache-control": "private, no-cache", vary: "accept-encoding" }],
    ["/v1/chains/7", { "cache-control": "private, no-cache" }],
    ["/v1/live-check", { "cache-control": "no-store" }],
    ["/v1/nope", { "cache-control": "no-store" }],
    ["/openapi.json", { "cache-control": "public, max-age=300", vary: "accept-encoding" }],
    ["/", { "content-security-policy": expect.stringMatching(/^default-src 'none'; style-src 'sha256-/) }],
  ])("protect browsers and tell caches what to do: %s", async (path, headers) => {
    const response = await fetch(rest.url + path);
    await response.body?.cancel();
    expectSecureHeaders(response.headers);
    expect(Object.fromEntries(response.headers)).toMatchObject(headers);
  });

  it("protect browsers and name the request if it has no Host header or its target has no path", async () => {
    const head = "x-request-id: given\r\nconnection: close\r\n\r\n";
    const requests = [`GET / HTTP/1.1\r\n${head}`, `GET * HTTP/1.1\r\nhost: a\r\n${head}`];
    for (const [at, status] of [400, 404].entries()) {
      const answer = await exchangeBytes(rest.port, requests[at] ?? "");
      expectSecureAnswer(answer, status);
      expect(answer).toMatch(/\r\nx-request-id: given\r\n/);
    }
  });

  it("let a caller revalidate a response", async () => {
    const first = await get(`${rest.url}/v1/chains`);
    const etag = first.headers.get("etag") ?? "";
    const { status, headers } = await fetch(`${rest.url}/v1/chains`, { headers: { "if-none-match": etag } });
    expect([status, headers.get("etag"), headers.get("content-type")]).toEqual([304, etag, null]);
    expect((await get(`${rest.url}/v1/chains`, { headers: { "if-none-match": '"other"' } })).text).toBe(first.text);
  });

  it.each(["/v1/chains", "/v1/chains/7", "/openapi.json"])(
    "are those of a 200 for caches in a 304: %s",
    async (path) => {
      const forCaches = ({ headers }: Response) => ["cache-control", "etag", "vary"].map((name) => headers.get(name));
      const whole = await fetch(rest.url + path);
      await whole.body?.cancel();
      const unchanged = await fetch(rest.url + path, { headers: { "if-none-match": whole.headers.get("etag") ?? "" } });
      expect(unchanged.status).toBe(304);
      expect(forCaches(unchanged)).toEqual(forCaches(whole));
      expect(forCaches(unchanged)).not.toContain(null);
    },
  );

  it.each([
    ["gzip", "gzip"],
    ["br, gzip", "br"],
    ["identity", null],
  ])("for a caller that accepts %s name the encoding %s of a long response", async (accepted, encoding) => {
    const headers = { "accept-encoding": accepted };
    const long = await get(`${rest.url}/v1/chains`, { headers });
    expect(long.headers.get("content-encoding")).toBe(encoding);
    expect(long.body.chains).toHaveLength(200);
    expect((await get(`${rest.url}/v1/chains/7`, { headers })).headers.get("content-encoding")).toBeNull();
  });
});

describe("the data and metrics routes", () => {
  it("are served together by default, each with its own form of error messages", async () => {
    await using rest = await startSmall();
    expect((await get(`${rest.url}/v1/nope`)).body.message).toBe("Cannot GET /v1/nope");
    expect((await get(`${rest.url}/v2/health-check`, { method: "POST" })).body.message).toEqual([
      "Cannot POST /v2/health-check",
    ]);
  });

  it("can be served by one server each", async () => {
    await using data = await startSmall({}, { bases: ["data"] });
    await using metrics = await startSmall({}, { bases: ["metrics"] });
    expect((await get(`${data.url}/v2/health-check`)).body.message).toBe("Cannot GET /v2/health-check");
    expect((await get(`${metrics.url}/v1/chains`)).body).toEqual({
      message: ["Cannot GET /v1/chains"],
      statusCode: 404,
      error: "Not Found",
    });
    expect((await get(`${metrics.url}/v2/health-check`)).status).toBe(200);
    expect((await get(`${data.url}/v1/avg_tps/7`)).body.message).toBe("Cannot GET /v1/avg_tps/7");
    expect((await get(`${metrics.url}/v1/avg_tps/7`)).body).toEqual({ results: [], lastRun: 5, status: 200 });
  });

  it("of the hosted dialect only are served below its prefix; with `dialect: hosted`, they need no prefix", async () => {
    const path = "/v2/chains/7/metrics/txCount";
    await using contract = await startSmall();
    expect((await get(`${contract.url}${path}`)).body.message).toBe(`Cannot GET ${path}`);
    expect((await get(`${contract.url}/hosted${path}`)).body).toEqual({ results: [] });
    await using hosted = await startSmall({ dialect: "hosted" });
    expect((await get(`${hosted.url}${path}`)).body).toEqual({ results: [] });
  });
});

describe("the hosted dialect", () => {
  it("is served below its prefix, and not at all if the prefix is empty", async () => {
    await using deep = await startSmall({ hostedPrefix: "/a/b" });
    expect((await get(`${deep.url}/a/b/v1/chains/9/`)).body.chainId).toBe("9");
    expect((await get(`${deep.url}/hosted/v1/chains/9`)).status).toBe(404);
    await using none = await startSmall({ hostedPrefix: "" });
    expect((await get(`${none.url}/hosted/v1/chains/9`)).status).toBe(404);
    expect((await get(`${none.url}/v1/chains/9`)).status).toBe(200);
  });
});

/** Sends a GET request with a body, and resolves with the whole response. */
async function requested(port: number, path: string, body: string, isChunked = false) {
  const headers = isChunked ? {} : { "content-length": body.length };
  const request = httpRequest({ port, path, method: "GET", headers });
  if (isChunked) request.setHeader("transfer-encoding", "chunked");
  request.on("error", () => {});
  request.end(body);
  const [response] = await once(request, "response");
  let text = "";
  for await (const chunk of response) text += chunk;
  return { status: response.statusCode as number, connection: response.headers.connection, text };
}
