import type { IncomingHttpHeaders } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { Report } from "@apollo/usage-reporting-protobuf";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { createLogger } from "../../core/observability/logger.ts";
import { testConfig } from "../support/config.ts";
import { createLogLines } from "../support/log-lines.ts";
import { listen } from "../support/node/listen.ts";
import { serveGateway } from "./served.ts";
import { createSmallSubgraphs } from "./small-subgraphs.ts";

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A registry that accepts every report and keeps it. */
async function startRegistry(status = 200) {
  const received: Received[] = [];
  const server = await listen(async (request, response) => {
    received.push({ path: request.url, headers: request.headers, body: await buffer(request) });
    response.writeHead(status, { "content-type": "application/json" }).end("{}");
  });
  return { ...server, received };
}

const serve = (usageReporting: object, logger = createLogger("silent")) => {
  const { supergraph, subgraphs } = createSmallSubgraphs();
  return serveGateway(subgraphs, logger, supergraph, testConfig({ graphql: { usageReporting } }));
};

const SECRET_ID = "id-that-is-secret";
const DOCUMENT = `query Echo($id: ID!) { one: echo(id: $id) two: echo(id: "${SECRET_ID}-literal") } query Other { count }`;

/** Runs operations of a client: three valid ones, one of which has an error, and one that is not valid. */
async function runOperations(url: string): Promise<void> {
  const headers = {
    "content-type": "application/json",
    "apollographql-client-name": "explorer",
    "apollographql-client-version": "1.2",
    "x-service-api-key": "",
  };
  const post = async (body: object) => {
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    expect(await response.json()).toBeTruthy();
  };
  const echo = { query: DOCUMENT, operationName: "Echo", variables: { id: SECRET_ID } };
  await post(echo);
  await post(echo);
  await post({ query: "{ thing { broken } }" });
  await post({ query: "{ nothing }" });
}

async function subscribeOnce(url: string): Promise<void> {
  const client = createClient({ url: url.replace("http", "ws"), webSocketImpl: WebSocket });
  for await (const _event of client.iterate({ query: "subscription Changes { changed { id } }" }));
  await client.dispose();
}

it("GraphQL Hive gets the operations of callers with their fields, times and clients, and no value", async () => {
  await using registry = await startRegistry();
  {
    const endpoint = `${registry.url}/usage`;
    await using gateway = await serve({ hive: { token: "hvo1/token", target: "org/project/target", endpoint } });
    await runOperations(gateway.url);
    await subscribeOnce(gateway.url);
  }
  const [report, ...others] = registry.received;
  expect(others).toEqual([]);
  expect(report).toMatchObject({ path: "/usage/org/project/target", headers: { authorization: "Bearer hvo1/token" } });
  const text = String(report?.body);
  expect(text).not.toContain(SECRET_ID);
  const { size, map, operations, subscriptionOperations } = JSON.parse(text);
  expect(size).toBe(4);
  const named = (key: string) => map[key].operationName;
  const counted = operations.map(({ operationMapKey, execution: { ok, errorsTotal } }: never) => [
    named(operationMapKey),
    ok,
    errorsTotal,
  ]);
  expect(counted.toSorted()).toEqual([
    ["Echo", true, 0],
    ["Echo", true, 0],
    ["anonymous", false, 1],
  ]);
  const echo = operations.find(({ operationMapKey }: { operationMapKey: string }) => named(operationMapKey) === "Echo");
  expect(echo).toMatchObject({ metadata: { client: { name: "explorer", version: "1.2" } } });
  expect(map[echo.operationMapKey]).toEqual({
    operationName: "Echo",
    operation: 'query Echo($id:ID!){echo(id:$id)echo(id:"")}',
    fields: expect.arrayContaining(["Query.echo", "Query.echo.id", "ID"]),
  });
  expect(map[echo.operationMapKey].fields).not.toContain("Query.count");
  expect(subscriptionOperations.map(({ operationMapKey }: never) => named(operationMapKey))).toEqual(["Changes"]);
});

it("Apollo gets the signatures of operations with their fields, times and clients, and no value", async () => {
  await using registry = await startRegistry();
  {
    await using gateway = await serve({
      apollo: { key: "service:key", graphRef: "graph@main", endpoint: registry.url },
    });
    await runOperations(gateway.url);
    await subscribeOnce(gateway.url);
  }
  const [report, ...others] = registry.received;
  expect(others).toEqual([]);
  expect(report).toMatchObject({ path: "/api/ingress/traces", headers: { "x-api-key": "service:key" } });
  const bytes = gunzipSync(report?.body ?? "");
  expect(bytes.includes(SECRET_ID)).toBe(false);
  const { header, operationCount, tracesPerQuery } = Report.toObject(Report.decode(bytes)) as Report;
  expect({ header, operationCount }).toMatchObject({ header: { graphRef: "graph@main" }, operationCount: 4 });
  const echo = '# Echo\nquery Echo($id:ID!){echo(id:$id)echo(id:"")}';
  expect(Object.keys(tracesPerQuery)).toEqual([
    echo,
    "# -\n{thing{broken}}",
    "# Changes\nsubscription Changes{changed{id}}",
  ]);
  const stats = Object(tracesPerQuery[echo]?.statsWithContext).at(0);
  expect(stats).toMatchObject({
    context: { clientName: "explorer", clientVersion: "1.2" },
    queryLatencyStats: { requestCount: 2 },
  });
  expect(stats.queryLatencyStats.latencyCount.reduce((sum: number, count: number) => sum + count, 0)).toBe(2);
  expect(tracesPerQuery[echo]?.referencedFieldsByType).toMatchObject({ Query: { fieldNames: ["echo"] } });
  expect(tracesPerQuery["# -\n{thing{broken}}"]).toMatchObject({
    statsWithContext: [{ queryLatencyStats: { requestsWithErrorsCount: 1, rootErrorStats: { errorsCount: 1 } } }],
  });
});

it("operations are answered, and the log says why, if the registries refuse reports", async () => {
  await using registry = await startRegistry(403);
  const { logger, lines } = createLogLines("warn");
  {
    const hive = { token: "token", endpoint: registry.url };
    const apollo = { key: "key", graphRef: "graph@main", endpoint: registry.url };
    await using gateway = await serve({ hive, apollo }, logger);
    const response = await fetch(`${gateway.url}?query={count}`, { headers: { accept: "application/json" } });
    expect(await response.json()).toEqual({ data: { count: 2 } });
  }
  const messages = lines.map(({ msg }) => String(msg));
  expect(messages).toContain("a usage report cannot be sent to Apollo");
  expect(messages).toContainEqual(expect.stringMatching(/^GraphQL Hive: .* failed with status 403/));
  expect(JSON.stringify(lines)).not.toMatch(/"(key|token)"/);
});

it("a token of an organization needs a target, and another one must not have it", () => {
  const rule = /must be set if the token begins with hvo1\/, and only then/;
  expect(() => testConfig({ graphql: { usageReporting: { hive: { token: "hvo1/token" } } } })).toThrow(rule);
  expect(() => testConfig({ graphql: { usageReporting: { hive: { token: "t", target: "a/b/c" } } } })).toThrow(rule);
});
