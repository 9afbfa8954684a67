import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Moraine, startMoraine } from "../../commands/moraine.ts";
import type { Config } from "../../core/config/config-schema.ts";
import type { Databases } from "../../core/database/database.ts";
import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../core/embedded-postgres/embedded-postgres.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { type Indexer, startIndexer } from "../../indexer/indexer.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { openRecording } from "../../recordings/recording.ts";
import { ALPHA, type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { testConfig } from "../support/config.ts";
import { freezeServer, postmasterPid } from "../support/database/frozen-server.ts";
import { itWithSmallDisk, mountSmallDisk, SMALL_DISK_BYTES } from "../support/database/small-disk.ts";
import { type FaultyNode, startFaultyNode } from "../support/node/faulty-node.ts";
import { type HealthNode, startHealthNode } from "../support/node/health-node.ts";

const logger = createLogger("silent");
/** Number of consecutive failures in which every failure of a frozen database occurs. */
const FROZEN_FAILURES = 5;
const PRIMARY = "11111111111111111111111111111111LpoYY";
let directory: string;
let disk: Disposable | null;
let server: EmbeddedPostgres;
let chains: ReplayNode;
let upstream: HealthNode;
let node: FaultyNode;
/** The node of the indexed chains, in front of `chains`. */
let chainsNode: FaultyNode;
let database: Databases;
let moraine: Moraine;
let indexer: Indexer;
let config: Config;
let l1: { readonly blockchainId: string; readonly subnetId: string };

interface Report {
  readonly status: number;
  readonly healthy: boolean;
  readonly checks: Readonly<
    Record<string, { readonly message?: unknown; readonly error?: string; readonly contiguousFailures?: number }>
  >;
}

async function get(path: string): Promise<Report> {
  const response = await fetch(`http://127.0.0.1:${moraine.port}${path}`);
  return { ...((await response.json()) as Omit<Report, "status">), status: response.status };
}

/** Waits for a report that meets the condition; fails after thirty seconds. */
async function until(isSo: (report: Report) => boolean, path = "/ext/health"): Promise<Report> {
  let last: Report | null = null;
  for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(20)) {
    last = await get(path);
    if (isSo(last)) return last;
  }
  throw new Error(`${path} did not come to that: ${JSON.stringify(last)}`);
}

const isHealthy = ({ healthy, status }: Report) => healthy && status === 200;
const errorOf = (name: string) => (report: Report) => report.checks[name]?.error !== undefined;
const failing = ({ checks }: Report) => Object.keys(checks).filter((name) => checks[name]?.error !== undefined);

async function graph(query: string): Promise<{ readonly data?: unknown; readonly errors?: readonly unknown[] }> {
  const response = await fetch(`http://127.0.0.1:${moraine.port}/graphql`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  return (await response.json()) as { readonly data?: unknown };
}

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "moraine-live-health-"));
  chmodSync(directory, 0o755);
  disk = mountSmallDisk(join(directory, "disk"));
  const recording = openRecording(ALPHA);
  [server, chains, upstream] = await Promise.all([
    startEmbeddedPostgres(directory),
    startReplayNode({ recording, heads: "full" }),
    startHealthNode(),
  ] as const);
  await migrate(server.url);
  node = await startFaultyNode({ upstream: upstream.url });
  upstream.networkId = "5";
  chainsNode = await startFaultyNode({ upstream: chains.url });
  const evmChains = demoConfig(recording.manifest, chainsNode.url);
  l1 = evmChains[1] as typeof l1; // the recording's L1
  config = testConfig({
    evmChains,
    dataDirectory: join(directory, "disk"),
    databaseUrl: server.url,
    nodeInterface: { nodeUrl: node.url, healthCheckFrequency: "100ms", requiredAvailableDiskSpacePercentage: 1 },
  });
  database = openDatabase(server.url, 5, logger);
  moraine = await startMoraine({ config, database, counters: createLocalCounters(), logger });
  expect(await get("/ext/health/readiness")).toMatchObject({ status: 503, healthy: false });
  expect(await get("/ext/health/liveness")).toEqual({ status: 200, healthy: true, checks: {} });
  indexer = startIndexer(config, server.url, logger);
}, 60_000);

afterAll(async () => {
  await moraine?.[Symbol.asyncDispose]();
  await indexer?.[Symbol.asyncDispose]();
  await database?.[Symbol.asyncDispose]();
  await node?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
  await chainsNode?.[Symbol.asyncDispose]();
  await chains?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
  disk?.[Symbol.dispose]();
  rmSync(directory, { recursive: true, force: true });
});

describe("the health of a running installation", () => {
  it("is healthy once its chains are indexed, and reports each chain", async () => {
    await until(isHealthy, "/ext/health/readiness");
    const { checks } = await until(isHealthy);
    const head = chains.head("C");
    expect(checks["C"]?.message).toMatchObject({
      engine: { consensus: { lastAcceptedHeight: head } },
      indexing: { height: head, head, lag: 0, state: "FOLLOWING" },
    });
    expect(checks["bootstrapped"]?.message).toEqual([]);
    expect(
      Object.keys((await get(`/ext/health?tag=${l1.subnetId}`)).checks).filter((name) => !/\//.test(name)),
    ).toEqual([l1.blockchainId, "bootstrapped", "database", "diskspace", "network", "router"].sort());
    expect(Object.keys((await get(`/ext/health?tag=${PRIMARY}`)).checks)).toEqual(
      expect.arrayContaining(["C", "node/C", "node/P", "node/X", "node/network", "node/bls"]),
    );
  });

  it.each([
    ["down", () => node.down(), /cannot be reached$/],
    ["slow", () => Object.assign(node.faults, { delayMs: 600_000 }), /did not answer within 800ms$/],
    [
      "returning invalid answers",
      () => Object.assign(node.faults, { garbage: "html" }),
      /answered \S+ without a result$/,
    ],
  ])(
    "with its upstream node %s fails only in the check network, serves other requests, and recovers",
    async (_, fail, text) => {
      await until(isHealthy);
      await fail();
      // A check that has begun before may fail at a later one of its requests, with another reason.
      const report = await until(({ checks }) => text.test(checks["network"]?.error ?? ""));
      expect([report.status, failing(report)]).toEqual([503, ["network"]]);
      expect(report.checks["network"]?.error).toMatch(text);
      expect(Object.keys(report.checks).filter((name) => name.startsWith("node/"))).toEqual([]);
      expect((await graph("{ chains { chains { chainId } } }")).errors).toBeUndefined();
      expect((await fetch(`http://127.0.0.1:${moraine.port}/v1/chains`)).status).toBe(200);
      expect((await get("/ext/health/readiness")).status).toBe(200);
      const { contiguousFailures = 0 } = report.checks["network"] ?? {};
      await until(({ checks }) => (checks["network"]?.contiguousFailures ?? 0) > contiguousFailures);
      await node.heal();
      const well = await until(isHealthy);
      expect(Object.keys(well.checks)).toContain("node/network");
      expect(well.checks["network"]).not.toHaveProperty("contiguousFailures");
    },
  );

  itWithSmallDisk("with its disk full fails only in the check diskspace, and recovers", async () => {
    await until(isHealthy);
    const large = join(directory, "disk/large");
    writeFileSync(large, Buffer.alloc(SMALL_DISK_BYTES));
    const report = await until(errorOf("diskspace"));
    expect([report.status, failing(report)]).toEqual([503, ["diskspace"]]);
    expect(report.checks["diskspace"]).toMatchObject({
      message: { availableDiskBytes: 0, availableDiskPercentage: 0 },
      error: "remaining available disk space percentage (0%) is below minimum required available space percentage (1%)",
    });
    expect((await fetch(`http://127.0.0.1:${moraine.port}/v1/chains`)).status).toBe(200);
    rmSync(large);
    await until(isHealthy);
  });

  it("fails in the checks of chains while their node is down", async () => {
    await until(isHealthy);
    await chainsNode.down();
    const report = await until(errorOf("C"));
    expect(report.checks["C"]).toMatchObject({
      error: expect.stringMatching(/^indexing waits: /),
      message: { indexing: { state: "WAITING", reason: expect.any(String) } },
    });
    expect(report.checks["C"]?.error).not.toContain("127.0.0.1");
    expect([report.checks["bootstrapped"]?.error, report.checks["network"]?.error]).toEqual([undefined, undefined]);
    await chainsNode.heal();
    await until(isHealthy);
  });

  it("with its database stopped fails in checks that need it, serves other requests, and recovers", async () => {
    process.kill(postmasterPid(directory), "SIGINT");
    const report = await until(errorOf("database"));
    expect(report.status).toBe(503);
    expect(report.checks["database"]?.error).toMatch(/^the database cannot be used: /);
    expect([report.checks["router"]?.error, report.checks["diskspace"]?.error]).toEqual([undefined, undefined]);
    expect((await get("/ext/health/liveness")).status).toBe(200);
    expect((await get("/ext/health/readiness")).status).toBe(200);
    expect((await graph("{ readiness { healthy } }")).data).toEqual({ readiness: { healthy: true } });
    await until(({ checks }) => checks["database"]?.error === undefined);
    expect((await graph("{ chains { chains { chainId } } }")).errors).toBeUndefined();
  });

  it("with its database frozen fails in checks that need it, with unchanged messages, and recovers", async () => {
    await until(isHealthy);
    const seen = new Set<string>();
    {
      using _frozen = await freezeServer(directory, database.pool);
      await until(({ checks }) => checks["C"]?.error === "the database does not answer");
      await until((report) => {
        for (const name of failing(report)) seen.add(`${name}: ${report.checks[name]?.error}`);
        return (report.checks["database"]?.contiguousFailures ?? 0) >= FROZEN_FAILURES;
      });
    }
    expect([...seen].sort()).toEqual(
      [
        ...["C", l1.blockchainId].map((name) => `${name}: the database does not answer`),
        "database: the database cannot be used: no answer in time",
      ].sort(),
    );
    await until(({ checks }) => checks["database"]?.error === undefined);
  });

  it("sends changes to subscribers", async () => {
    await until(isHealthy);
    const response = await fetch(`http://127.0.0.1:${moraine.port}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ query: 'subscription { healthChanged(tags: ["none"]) { checks { name error } } }' }),
    });
    const events = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let received = "";
    const untilReceived = async (text: string) => {
      while (!received.includes(text)) {
        const { value, done } = (await events?.read()) ?? { done: true, value: "" };
        if (done) throw new Error(`it ended without ${text}: ${received}`);
        received += value;
      }
    };
    await untilReceived('"network","error":null');
    upstream.networkId = "1";
    await untilReceived(
      '"network","error":"network layer is unhealthy reason: the upstream node belongs to network 1, not to 5"',
    );
    received = "";
    upstream.networkId = "5";
    await untilReceived('"network","error":null');
    await events?.cancel();
  });

  it("sends the shutdown to subscribers before it ends", async () => {
    const other = await startMoraine({ config, database, counters: createLocalCounters(), logger });
    const response = await fetch(`http://127.0.0.1:${other.port}/graphql`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream" },
      body: JSON.stringify({ query: "subscription { healthChanged { checks { name error } } }" }),
    });
    const events = response.text();
    await other[Symbol.asyncDispose]();
    const lines = (await events).split("\n").filter((line) => /^(event|data): ./.test(line));
    const last = lines.findLast((line) => line.includes("checks"));
    expect(last).toContain('"name":"shuttingDown","error":"server shutting down"');
    expect(lines.join()).not.toContain('"name":"shuttingDown","error":"not yet run"');
    expect(lines.at(-1)).toContain("the server is shutting down, subscribe again");
    // The client subscribes again to a stream that is not complete.
    expect(lines).not.toContain("event: complete");
  });
});
