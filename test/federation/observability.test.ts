import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { METRICS } from "../../core/observability/definitions.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { type Observability, startObservability } from "../../core/processes/start.ts";
import { testConfig } from "../support/config.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { until } from "../support/indexed/indexing.ts";
import { startMetrics } from "../support/metrics.ts";
import { expectSecureHeaders } from "../support/security-headers.ts";
import { type Stack, startStack } from "../support/stack.ts";
import { type Served, serveSubgraph } from "./served.ts";

const KEY = "a-key-that-nobody-may-see";
const WALLET = "0xbee4880dbc658fd44fe9b1259df67a921e1a223f";
const TRANSFERS = `/v1/chains/760011/addresses/${WALLET}/transactions:listErc20`;
const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const PARENT_ID = "b7ad6b7169203331";

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
}

let collector: Server;
const received: string[] = [];
let observability: Observability;
let database: Awaited<ReturnType<typeof indexedAlpha>>;
let subgraph: Served;
let stack: Stack;
beforeAll(async () => {
  collector = createServer(async (request, response) => {
    received.push(`${request.headers["authorization"]} ${await text(request)}`);
    response.setHeader("content-type", "application/json");
    response.end("{}");
  });
  await new Promise<void>((listening) => collector.listen(0, "127.0.0.1", listening));
  const tracesUrl = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
  const settings = { port: 0, tracesUrl, tracesHeaders: { authorization: "Bearer of-the-collector" } };
  await startMetrics();
  observability = await startObservability(testConfig({ observability: settings }), "test", createLogger("silent"));
  database = await indexedAlpha();
  const indexed = { database, config: database.config };
  subgraph = await serveSubgraph(indexed);
  stack = await startStack({ ...indexed, evmSubgraphUrl: subgraph.url, settings: { apiKeys: [{ key: KEY }] } });
});
afterAll(async () => {
  for (const resource of [stack, subgraph, database, observability]) await resource[Symbol.asyncDispose]();
  collector.close();
});

const scrape = async () => (await fetch(`http://127.0.0.1:${observability.metricsPort}/metrics`)).text();

/** The value of a series; NaN if there is none. */
function sampleOf(metrics: string, series: string): number {
  const line = metrics.split("\n").find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

const query = (text: string, headers: Readonly<Record<string, string>> = {}) =>
  stack.get("/graphql", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query: text }),
  });

describe("observability", () => {
  it("counts requests, operations, resolvers, batches, statements and refusals, by names of ours alone", async () => {
    const answers = [
      await stack.get(`${TRANSFERS}?pageSize=5`, { headers: { "x-service-api-key": KEY } }),
      await stack.get("/v1/chains/760011", { headers: { "x-service-api-key": "an-unknown-key" } }),
      await stack.get("/v1/a-path-of-the-caller"),
      await query(
        `query NameOfTheCaller { erc20Transfers(chainId: "760011", address: "${WALLET}", first: 5) { transactions: nodes { transaction { nonce } } } }`,
      ),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 200]);
    const metrics = await scrape();
    const requests = "moraine_http_request_duration_seconds_count";
    const transfers = "/v1/chains/{chainId}/addresses/{address}/transactions:listErc20";
    const expected = {
      [`${requests}{method="GET",route="${transfers}",status="200"}`]: 1,
      [`${requests}{method="GET",route="/v1/chains/{chainId}",status="401"}`]: 1,
      [`${requests}{method="GET",route="other",status="404"}`]: 1,
      'moraine_requests_rejected_total{reason="unauthenticated"}': 1,
      'moraine_requests_rejected_total{reason="overloaded"}': 0,
      'moraine_graphql_operation_duration_seconds_count{operation="ListErc20Transfers",type="query",outcome="ok"}': 1,
      'moraine_graphql_operation_duration_seconds_count{operation="other",type="query",outcome="ok"}': 1,
      'moraine_graphql_resolver_duration_seconds_count{field="Query.erc20Transfers",outcome="ok"}': 2,
      'moraine_queue_length{queue="heavy"}': 0,
      'moraine_loader_batch_size_count{loader="transaction"}': 1,
      moraine_http_requests_in_progress: 0,
      moraine_graphql_subscriptions: 0,
    };
    const found = Object.keys(expected).map((series) => [series, sampleOf(metrics, series)]);
    expect(Object.fromEntries(found)).toEqual(expected);
    expect(sampleOf(metrics, 'moraine_database_pool_max_connections{pool="api"}')).toBeGreaterThan(0);
    expect(sampleOf(metrics, "moraine_http_connections")).toBeGreaterThan(0);
    expect(metrics).toMatch(
      /^moraine_database_statement_duration_seconds_count\{statement="[\w-]+",outcome="ok"\} \d/m,
    );
    expect(sampleOf(metrics, 'moraine_loader_batch_size_sum{loader="transaction"}')).toBeGreaterThan(1);
    expect(metrics).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
    expect(metrics).toMatch(/^process_resident_memory_bytes \d/m);
    for (const secret of [KEY, "unknown-key", WALLET, "NameOfTheCaller", "of-the-caller", "127.0.0.1"])
      expect(metrics).not.toContain(secret);
  });

  it("shows every documented metric with its type", async () => {
    const metrics = await scrape();
    for (const { name, type } of Object.values(METRICS)) expect(metrics).toContain(`# TYPE ${name} ${type}\n`);
  });

  it("counts the running subscriptions, and not their time as that of a request", async () => {
    const leave = new AbortController();
    const body = JSON.stringify({ query: 'subscription { blockAdded(chainId: "760011") { blockNumber } }' });
    const headers = { "content-type": "application/json", accept: "text/event-stream" };
    const count = async () => sampleOf(await scrape(), "moraine_graphql_subscriptions");
    await fetch(`${stack.url}/graphql`, { method: "POST", headers, body, signal: leave.signal });
    await until(count, (subscriptions) => subscriptions === 1, "the subscription");
    const streamed = async () => sampleOf(await scrape(), "moraine_http_requests_in_progress");
    expect(await streamed()).toBe(1);
    leave.abort();
    await until(count, (subscriptions) => subscriptions === 0, "the end of the subscription");
    await until(streamed, (requests) => requests === 0, "the end of the response");
    expect(await scrape()).not.toContain('status="aborted"');
  });

  it("compresses its answer", async () => {
    const { headers } = await fetch(`http://127.0.0.1:${observability.metricsPort}/metrics`, {
      headers: { "accept-encoding": "gzip" },
    });
    expect([headers.get("content-encoding"), headers.get("vary")]).toEqual(["gzip", "accept-encoding"]);
  });

  it("does not show metrics on the public port, nor anything else on its own", async () => {
    expect((await stack.get("/metrics")).status).toBe(404);
    const answer = await fetch(`http://127.0.0.1:${observability.metricsPort}/v1/chains`);
    const { status, headers } = answer;
    expect([status, headers.get("content-type")]).toEqual([404, "application/json; charset=utf-8"]);
    expect(await answer.json()).toEqual({ message: "Cannot GET /v1/chains", statusCode: 404, error: "Not Found" });
    expectSecureHeaders(headers);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("sends the trace of a request through gateway and subgraph to the collector", async () => {
    const headers = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01`, "x-service-api-key": KEY };
    expect((await stack.get(`${TRANSFERS}?pageSize=5`, { headers })).status).toBe(200);
    await observability[Symbol.asyncDispose]();
    const bodies = received.map((line) => {
      expect(line).toMatch(/^Bearer of-the-collector \{/);
      return JSON.parse(line.slice(line.indexOf("{")));
    });
    const all: OtlpSpan[] = bodies.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap((resource: { readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[] }) =>
        resource.scopeSpans.flatMap(({ spans }) => spans),
      ),
    );
    const spans = all.filter(({ traceId }) => traceId === TRACE_ID);
    const pathOf = ({ name, parentSpanId }: OtlpSpan): string => {
      const parent = spans.find(({ spanId }) => spanId === parentSpanId);
      return parent ? `${pathOf(parent)} > ${name}` : `${parentSpanId} > ${name}`;
    };
    const paths = spans.map(pathOf);
    const served = `${PARENT_ID} > GET /v1/chains/{chainId}/addresses/{address}/transactions:listErc20`;
    const resolver = `${served} > ListErc20Transfers > subgraph evm > POST /graphql > Query.erc20Transfers`;
    expect(paths).toContain(resolver);
    expect(
      paths.filter((path) => path.startsWith(`${served} > ListErc20Transfers > subgraph evm > POST /graphql > `))
        .length,
    ).toBeGreaterThan(2);
    expect(paths.every((path) => path.startsWith(served))).toBe(true);
    for (const secret of [KEY, "unknown-key", WALLET, "NameOfTheCaller", "of-the-caller"])
      expect(received.join("")).not.toContain(secret);
  });
});
