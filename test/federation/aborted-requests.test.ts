import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Registry } from "prom-client";
import { createFileLinks } from "../../core/exports/files/file-links.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startExporter } from "../../exporter/exporter.ts";
import { ROUTES, type Route } from "../../rest-compat/routes.ts";
import { createNumberedSource } from "../support/exports/numbered-source.ts";
import { startOperation, untilEnded } from "../support/exports/operations.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { until } from "../support/indexed/indexing.ts";
import { startMetrics } from "../support/metrics.ts";
import { type Stack, startStack } from "../support/stack.ts";

const REQUESTS_PER_CONNECTION = 30;
const CONNECTIONS = 4;

let alpha: Awaited<ReturnType<typeof indexedAlpha>>;
let stack: Stack;
let registry: Registry;
let download: string;
const directory = mkdtempSync(join(tmpdir(), "moraine-aborted-"));

beforeAll(async () => {
  registry = await startMetrics();
  alpha = await indexedAlpha();
  const settings = { exports: { directory } };
  stack = await startStack({ database: alpha, config: alpha.config, settings });
  const config = { ...alpha.config, exports: { ...alpha.config.exports, directory } };
  // Larger than what sockets and streams hold.
  const source = createNumberedSource({ rows: 20_000, rowsPerDay: 5_000, batchRows: 5_000, delayMs: 0 });
  await using _exporter = startExporter({
    config,
    databaseUrl: alpha.url,
    logger: createLogger("silent"),
    createSource: () => source,
  });
  const { operation_id: operationId } = await untilEnded(alpha.pool, await startOperation(alpha.pool));
  const links = await createFileLinks({
    settings: config.exports,
    pool: alpha.pool,
    serverUrl: () => stack.url,
    nowSeconds: () => Math.floor(Date.now() / 1_000),
  });
  const url = new URL(await links.urlOf({ operationId, fileName: "" }));
  download = url.pathname + url.search;
});
afterAll(async () => {
  await stack[Symbol.asyncDispose]();
  await alpha[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true });
});

function bytesOf(
  method: string,
  target: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): string {
  const text = body === undefined ? "" : JSON.stringify(body);
  const type = body === undefined ? {} : { "content-type": "application/json", "content-length": String(text.length) };
  const lines = Object.entries({ host: "localhost", ...type, ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${text}`;
}

const VALUES: Readonly<Record<string, string>> = {
  chainId: "760011",
  network: "fuji",
  blockchainId: "p-chain",
  address: `0x${"1".repeat(40)}`,
};

function requestOf({ method, path, body }: Route): string {
  const target = path.replace(/\{(\w+)\}/g, (_, name: string) => VALUES[name] ?? "1");
  return bytesOf(method, target, body === undefined ? undefined : {});
}

const STREAM = { accept: "text/event-stream" };
const blockAdded = { query: 'subscription { blockAdded(chainId: "760011") { blockNumber } }' };
const graph = (body: unknown, headers?: Readonly<Record<string, string>>) => bytesOf("POST", "/graphql", body, headers);
const blocks = { query: '{ evmBlocks(chainId: "760011", first: 100) { blocks: nodes { blockNumber blockHash } } }' };

/** Requests of every route, by name. */
const REQUESTS: readonly (readonly [name: string, request: () => string])[] = [
  ["a download", () => bytesOf("GET", download)],
  ["a part of a download", () => bytesOf("GET", download, undefined, { range: "bytes=10-200000" })],
  ["the events of a subscription", () => graph(blockAdded, STREAM)],
  ["the events of a subscription, by the runtime", () => graph(blockAdded, { accept: "text/event-stream, */*" })],
  [
    "the parts of a subscription",
    () => graph(blockAdded, { accept: 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0, application/json' }),
  ],
  ["a GraphQL query", () => graph(blocks)],
  ["a compressed GraphQL query", () => graph(blocks, { "accept-encoding": "br" })],
  ["a GraphQL query by GET", () => bytesOf("GET", `/graphql?query=${encodeURIComponent(blocks.query)}`)],
  ["GraphiQL", () => bytesOf("GET", "/graphql", undefined, { accept: "text/html" })],
  [
    "a method of the node interface",
    () => bytesOf("POST", "/ext/info", { jsonrpc: "2.0", id: 1, method: "info.getNodeVersion" }),
  ],
  ["the health of the node interface", () => bytesOf("GET", "/ext/health")],
  ...["/openapi.json", "/v1/health-check", "/v1/live-check", "/nope"].map(
    (path) => [path, () => bytesOf("GET", path)] as const,
  ),
  ...ROUTES.map((route) => [`${route.id} ${route.path}`, () => requestOf(route)] as const),
];

/** Sends requests on one connection without waiting for answers, and resets it after the first bytes of an answer, or before. */
async function abort(request: string, afterMs: number | null): Promise<void> {
  const socket = connect(Number(new URL(stack.url).port), "127.0.0.1");
  socket.on("error", () => {});
  await once(socket, "connect");
  const closed = once(socket, "close");
  socket.write(request.repeat(REQUESTS_PER_CONNECTION));
  if (afterMs === null) await Promise.race([once(socket, "readable"), closed]);
  else await sleep(afterMs);
  socket.resetAndDestroy();
  await closed;
}

/** What requests may leave behind: open files, and work that goes on. */
async function heldResources(): Promise<Readonly<Record<string, number | readonly string[]>>> {
  const values = (await registry.getMetricsAsJSON()).flatMap(({ name, values }) =>
    (values as readonly { value: number; labels: Readonly<Record<string, string>> }[]).map(
      ({ value, labels }) => [name, labels, value] as const,
    ),
  );
  const held = values.filter(([name, { state }]) => HELD.has(name) && state !== "idle");
  return {
    ...Object.fromEntries(held.map(([name, labels, value]) => [`${name} ${JSON.stringify(labels)}`, value])),
    files: openFiles(),
  };
}

const HELD = new Set([
  "moraine_http_requests_in_progress",
  "moraine_http_connections",
  "moraine_graphql_subscriptions",
  "moraine_queue_length",
  "moraine_queue_running",
  "moraine_database_pool_waiting",
]);

/** Paths of the open files that are no sockets, pipes or devices. Empty on systems that do not tell. */
function openFiles(): string[] {
  if (!existsSync("/proc/self/fd")) return [];
  return readdirSync("/proc/self/fd").flatMap((name) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${name}`);
      return path.startsWith("/") && !path.startsWith("/dev/") && !path.startsWith("/proc/") ? [path] : [];
    } catch {
      return [];
    }
  });
}

describe("pipelined requests whose connection is reset leave nothing open", () => {
  let before: Awaited<ReturnType<typeof heldResources>>;
  beforeEach(async () => {
    before = await heldResources();
  });

  it.each(REQUESTS)("%s", async (_, request) => {
    for (const afterMs of [null, 0, 3])
      await Promise.all(Array.from({ length: CONNECTIONS }, () => abort(request(), afterMs)));
    await until(
      heldResources,
      (held) => JSON.stringify(held) === JSON.stringify(before),
      `the resources ${JSON.stringify(before)}`,
    );
  });
});
