import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import WebSocket from "ws";
import { SUBGRAPHS, subgraphVariable } from "../../core/config/subgraphs.ts";
import { demoConfig, demoNetwork } from "../../recordings/demo.ts";
import { ALPHA, startReplayNode } from "../../recordings/replay-node.ts";
import { childPids } from "../support/exports/worker-pids.ts";
import { indexedChains, untilIndexed } from "../support/indexed/indexed.ts";
import { isRunning, type Running, run } from "./processes.ts";
import { until } from "./until.ts";

const directories: string[] = [];
afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true });
});

function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), "moraine-process-"));
  directories.push(directory);
  // The server's account must be able to enter the directory if root runs the tests.
  chmodSync(directory, 0o755);
  return directory;
}

/** The first page with items, once there is one. */
async function untilAnswered(url: string): Promise<unknown> {
  for (const deadline = Date.now() + 60_000; ; ) {
    const response = await fetch(url);
    const body = (await response.json()) as { readonly transactions?: readonly unknown[] };
    if (response.status === 200 && body.transactions?.length) return body;
    if (Date.now() > deadline) throw new Error(`${url}: ${response.status} ${JSON.stringify(body)}`);
    await new Promise((done) => setTimeout(done, 50));
  }
}

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const TRACED = { traceparent: `00-${TRACE_ID}-b7ad6b7169203331-01` };

/** A collector of traces, which knows the processes that have sent spans of the trace `TRACE_ID`. */
async function startCollector(): Promise<AsyncDisposable & { readonly url: string; readonly services: Set<string> }> {
  const services = new Set<string>();
  const server = createServer(async (request, response) => {
    const { resourceSpans } = JSON.parse(await text(request)) as { readonly resourceSpans: readonly object[] };
    response.setHeader("content-type", "application/json").end("{}");
    for (const one of resourceSpans.map((spans) => JSON.stringify(spans))) {
      const [, service = ""] = /"service.name","value":\{"stringValue":"([^"]+)"/.exec(one) ?? [];
      if (one.includes(TRACE_ID)) services.add(service);
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  return { url, services, [Symbol.asyncDispose]: async () => void server.close() };
}

async function killed(part: Running | undefined): Promise<void> {
  if (!part) throw new Error("this part does not run");
  part.child.kill("SIGKILL");
  await once(part.child, "exit");
}

/** Starts take long on a busy machine. */
const TIMEOUT_MS = 180_000;

describe("Moraine as processes", () => {
  it(
    "runs with one command and a database of its own, restarts after SIGKILL, which ends its indexer too, and ends on SIGTERM",
    async () => {
      const env = { MORAINE_DATA: join(scratch(), "data"), PORT: "0", MORAINE_DEMO: "full", LOG_LEVEL: "fatal" };
      const address = /answers on (http:\/\/[\d.:]+)/;
      {
        await using first = await run("start", env);
        const [, url] = await first.until(address);
        expect(await (await fetch(`${url}/v1/chains/760011/blocks?pageSize=1`)).json()).toMatchObject({
          blocks: [{ blockNumber: "234" }],
        });
        const indexers = childPids(first.child.pid, "indexer/process/worker.");
        expect(indexers).toHaveLength(1);
        first.child.kill("SIGKILL");
        await until(
          () => !indexers.some(isRunning),
          () => `processes: ${indexers}`,
        );
      }
      await using second = await run("start", env);
      const [, url] = await second.until(address);
      expect(await (await fetch(`${url}/v1/chains/760012/blocks?pageSize=1`)).json()).toMatchObject({
        blocks: [{ blockNumber: "218" }],
      });
      const agent = new Agent({ keepAlive: true });
      const probe = async () => {
        const [response] = (await once(get(`${url}/v1/live-check`, { agent }), "response")) as [IncomingMessage];
        await once(response.resume(), "end");
        return [response.statusCode, response.headers.connection];
      };
      expect(await probe()).toEqual([200, "keep-alive"]);
      const socket = new WebSocket(`${url?.replace("http", "ws")}/graphql`, "graphql-transport-ws");
      await once(socket, "open");
      second.child.kill("SIGTERM");
      expect((await once(socket, "close"))[0]).toBe(1001);
      expect(await probe()).toEqual([503, "close"]);
      expect(await once(second.child, "exit")).toEqual([0, null]);
    },
    TIMEOUT_MS,
  );

  it(
    "runs as ten parts that find each other by URL, and whose spans of a request are one trace",
    async () => {
      // The EVM chains are indexed already; the indexer adds the primary network.
      await using database = await indexedChains(ALPHA);
      await using node = await startReplayNode({ heads: "full" });
      const MORAINE_CONFIG = join(scratch(), "moraine.json");
      const { manifest } = node.recording;
      const primaryNetworks = [demoNetwork(manifest, ALPHA, node.url)];
      const evmChains = demoConfig(manifest, node.url);
      const apiKeys = [{ key: "key-of-a-customer" }, { key: "key-of-another" }];
      const indexing = { processes: 1 };
      writeFileSync(MORAINE_CONFIG, JSON.stringify({ evmChains, primaryNetworks, apiKeys, indexing }));
      const env = { MORAINE_CONFIG, DATABASE_URL: database.url, PORT: "0", LOG_LEVEL: "warn" };
      await using collector = await startCollector();
      const traced = { ...env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector.url };
      const observed = { ...env, LOG_LEVEL: "info", OBSERVABILITY_PORT: "0" };
      // All parts that need no URL of another one start at once.
      await using indexer = await run("start --only indexer", observed);
      await using service = await run("start --only signatures", { ...env, MORAINE_DATA: scratch() });
      const [SIGNATURES_SERVICE_URL = ""] = await service.until(/http:\/\/[\d.:]+/);
      const subgraphs = new Map<string, Running>();
      await using _subgraphs = {
        [Symbol.asyncDispose]: async () => {
          for (const subgraph of subgraphs.values()) await subgraph[Symbol.asyncDispose]();
        },
      };
      for (const { name, service } of SUBGRAPHS) {
        const own = { ...(name === "evm" ? traced : env), SIGNATURES_SERVICE_URL };
        subgraphs.set(name, await run(`start --only ${service}`, own));
      }
      const urls: Record<string, string> = {};
      for (const { name, setting } of SUBGRAPHS) {
        const [url = ""] = (await subgraphs.get(name)?.until(/http:\/\/\S+\/graphql/)) ?? [];
        urls[subgraphVariable(setting)] = url;
      }
      await using gateway = await run("start --only gateway", { ...traced, ...urls });
      const [GATEWAY_URL = ""] = await gateway.until(/http:\/\/\S+\/graphql/);
      await using rest = await run("start --only rest", { ...traced, GATEWAY_URL });
      const [url] = await rest.until(/http:\/\/[\d.:]+/);
      await untilIndexed(database, { "760011": node.head("C"), "760012": node.head("l1") });
      const [metricsUrl = ""] = await indexer.until(/http:\S+\/metrics/);
      expect(await (await fetch(metricsUrl)).text()).toContain(
        'moraine_indexer_block_height{chain="760011",name="C-Chain"} 234\n',
      );
      const blocks = await fetch(`${url}/v1/chains/760011/blocks?pageSize=1`, { headers: TRACED });
      expect(await blocks.json()).toMatchObject({
        blocks: [{ blockNumber: "234", chainId: "760011" }],
      });
      expect((await fetch(`${url}/v1/chains/1/blocks`)).status).toBe(404);
      expect(await (await fetch(`${url}/v1/avg_tps/760011`)).json()).toMatchObject({ results: [{}], status: 200 });
      expect(await (await fetch(`${url}/v1/avg_tps/1`)).json()).toMatchObject({
        statusCode: 404,
        message: [expect.stringMatching(/^chainId /)],
      });
      const transactions = `${url}/v1/networks/testnet/blockchains/x-chain/transactions?pageSize=1`;
      expect(await untilAnswered(transactions)).toMatchObject({
        transactions: [{ txType: expect.stringMatching(/Tx$/) }],
        chainInfo: { chainName: "x-chain", network: "fuji" },
      });
      const unknown = `${url}/v1/signatureAggregator/fuji/aggregateSignatures/11111111111111111111111111111111LpoYY`;
      expect(await (await fetch(unknown)).json()).toMatchObject({
        statusCode: 404,
        message: "txHash 11111111111111111111111111111111LpoYY is not indexed as a transaction of network fuji",
      });
      const query = `{ validators(network: FUJI) { validators: nodes { peer { nodeId } } } node { networkId }
      operations { operations: nodes { operationId } } chain(chainId: "760011") { chainName totals { blocks } } }`;
      const headers = { "content-type": "application/json", "x-glacier-api-key": "key-of-a-customer" };
      const options = { addresses: [`0x${"1".repeat(40)}`], includeChains: ["760011"] };
      const body = JSON.stringify({ type: "TRANSACTION_EXPORT_EVM", options });
      const started = await fetch(`${url}/v1/operations/transactions:export`, { method: "POST", headers, body });
      const { operationId } = (await started.json()) as { readonly operationId: string };
      const seen = ["key-of-a-customer", "key-of-another", ""].map((key) =>
        fetch(`${url}/v1/operations/${operationId}`, { headers: { "x-service-api-key": key } }),
      );
      expect((await Promise.all(seen)).map(({ status }) => status)).toEqual([200, 404, 404]);
      const asked = await fetch(GATEWAY_URL, { method: "POST", headers, body: JSON.stringify({ query }) });
      expect(await asked.json()).toMatchObject({
        data: {
          validators: { validators: expect.arrayContaining([{ peer: { nodeId: expect.stringMatching(/^NodeID-/) } }]) },
          node: { networkId: manifest.networkID },
          operations: { operations: [{ operationId }] },
          chain: { chainName: "C-Chain", totals: { blocks: "234" } },
        },
      });
      while (collector.services.size < 3) await new Promise((done) => setTimeout(done, 20));
      expect([...collector.services].sort()).toEqual(["evm subgraph", "gateway", "rest"]);
      await killed(subgraphs.get("node"));
      const health = ["liveness", "readiness"].map(async (path) => (await fetch(`${url}/ext/health/${path}`)).status);
      expect(await Promise.all(health)).toEqual([200, 503]);
      await killed(subgraphs.get("primary-network"));
      expect((await fetch(transactions)).status).toBe(503);
      expect((await fetch(`${url}/v1/chains`)).status).toBe(200);
      expect((await fetch(`${url}/v1/health-check`)).status).toBe(200);
      subgraphs.get("evm")?.child.kill("SIGSTOP");
      const late = await (await fetch(`${url}/v1/health-check`)).json();
      expect(late).toMatchObject({ statusCode: 503, message: "the evm subgraph did not answer within 1 s" });
      await killed(subgraphs.get("evm"));
      const gone = await (await fetch(`${url}/v1/health-check`)).json();
      expect(gone).toMatchObject({ statusCode: 503, message: "the evm subgraph does not answer correctly" });
      expect(await (await fetch(`${url}/v1/chains`)).json()).toMatchObject({
        statusCode: 503,
        error: "Service Unavailable",
      });
    },
    TIMEOUT_MS,
  );

  it("ends the indexer alone with the reason if no chain is configured", async () => {
    await using database = await indexedChains(ALPHA);
    await using indexer = await run("start --only indexer", { DATABASE_URL: database.url, LOG_LEVEL: "error" });
    expect(await once(indexer.child, "close")).toEqual([1, null]);
    expect(indexer.output()).toMatch(/^no chain is configured: set evmChains or primaryNetworks; [^\n]*\n$/);
  });

  it("runs the indexer alone in two processes, whose metrics name the process, and ends them on SIGTERM", async () => {
    await using database = await indexedChains(ALPHA);
    await using node = await startReplayNode({ heads: "full" });
    const MORAINE_CONFIG = join(scratch(), "moraine.json");
    const evmChains = demoConfig(node.recording.manifest, node.url);
    writeFileSync(MORAINE_CONFIG, JSON.stringify({ evmChains, indexing: { processes: 2 } }));
    const env = { MORAINE_CONFIG, DATABASE_URL: database.url, LOG_LEVEL: "info", OBSERVABILITY_PORT: "0" };
    await using indexer = await run("start --only indexer", env);
    const [metricsUrl = ""] = await indexer.until(/http:\S+\/metrics/);
    await indexer.until(/Indexing .* in 2 processes/);
    const heights = [
      'moraine_indexer_block_height{chain="760011",name="C-Chain",process="indexer-1"} 234\n',
      'moraine_indexer_block_height{chain="760012",name="',
    ];
    let text = "";
    while (!heights.every((height) => text.includes(height))) text = await (await fetch(metricsUrl)).text();
    expect(text).toMatch(/_block_height\{chain="760012",.*,process="indexer-2"\} /);
    const workers = childPids(indexer.child.pid, "indexer/process/worker.");
    expect(workers).toHaveLength(2);
    indexer.child.kill("SIGTERM");
    expect(await once(indexer.child, "exit")).toEqual([0, null]);
    expect(workers.filter(isRunning)).toEqual([]);
  });

  it("ends with one line that names the setting when a setting is wrong", async () => {
    await using process = await run("start", { PORT: "eighty" });
    expect(await once(process.child, "exit")).toEqual([1, null]);
    expect(process.output().trim()).toBe('setting port (environment variable PORT) is "eighty": must be a number');
  });
});
