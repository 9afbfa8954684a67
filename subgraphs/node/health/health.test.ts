import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../../core/database/open-database.ts";
import { placementOf } from "../../../core/database/placement.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { testConfig } from "../../../test/support/config.ts";
import { createTestDatabase, type TestDatabase } from "../../../test/support/database/database.ts";
import { statementsOf } from "../../../test/support/database/statements.ts";
import { startMetrics } from "../../../test/support/metrics.ts";
import { startFaultyNode } from "../../../test/support/node/faulty-node.ts";
import { type HealthNode, recordedAnswer, startHealthNode } from "../../../test/support/node/health-node.ts";
import type { Probe } from "./checks/router.ts";
import { createHealth, type HealthDeps } from "./health.ts";
import type { HealthReport } from "./types.ts";

const PRIMARY = "11111111111111111111111111111111LpoYY";
let database: TestDatabase;
let node: HealthNode;

beforeEach(async () => {
  [database, node] = await Promise.all([createTestDatabase(), startHealthNode()]);
});
afterEach(async () => {
  await node[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

function createTestHealth(nodeUrl: string, more: Partial<HealthDeps> = {}) {
  return createHealth({
    config: testConfig({ nodeInterface: { healthCheckFrequency: "100ms", requiredAvailableDiskSpacePercentage: 0 } }),
    database,
    logger: createLogger("silent"),
    probes: { gateway: async () => {} },
    upstream: { nodeUrl, nodeHeaders: {}, networkId: 12345 },
    ...more,
  });
}

const errorsOf = ({ checks }: HealthReport) =>
  Object.fromEntries(checks.flatMap(({ name, error }) => (error === null ? [] : [[name, error]])));
const namesOf = ({ checks }: HealthReport) => checks.map(({ name }) => name);

/** Waits until a report fulfils the condition. Fails after ten seconds. */
async function until(report: () => HealthReport, isSo: (report: HealthReport) => boolean): Promise<HealthReport> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(10))
    if (isSo(report())) return report();
  throw new Error(`the condition did not hold in time: ${JSON.stringify(report())}`);
}

const isHealthy = ({ healthy }: HealthReport) => healthy;
const isUnhealthy = ({ healthy }: HealthReport) => !healthy;

describe("the health of an installation", () => {
  it("contains checks that have not run before the start, is complete after the start, and is updated repeatedly", async () => {
    await using health = await createTestHealth(node.url);
    expect(errorsOf(health.health())).toEqual(
      Object.fromEntries(
        ["bootstrapped", "database", "diskspace", "network", "router"].map((name) => [name, "not yet run"]),
      ),
    );
    expect([health.readiness().healthy, health.liveness()]).toEqual([false, { healthy: true, checks: [] }]);
    health.start();
    const first = await until(health.health, isHealthy);
    const timeOf = ({ checks }: HealthReport) => checks.find(({ name }) => name === "database")?.timestamp;
    await until(health.health, (report) => timeOf(report) !== timeOf(first));
    expect(health.readiness()).toMatchObject({ healthy: true, checks: [{ name: "bootstrapped", message: [] }] });
  });

  it("shows as metrics its checks, the size of the database, and the metadata that is not read yet, counted up to a limit", async () => {
    const registry = await startMetrics();
    await database.pool.query(
      `INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp, cumulative_transactions)
       VALUES (7, '', 0, 0, '', 0, 0)`,
    );
    await database.pool.query("CREATE TABLE erc20_tokens_7 PARTITION OF erc20_tokens FOR VALUES IN (7)");
    await database.pool.query(
      `INSERT INTO erc20_tokens (chain_id, address, first_block_number, metadata_status)
       SELECT 7, decode(lpad(to_hex(i), 40, '0'), 'hex'), 0, CASE WHEN i < 3 THEN 'INDEXED' ELSE 'PENDING' END
       FROM generate_series(1, 10100) i`,
    );
    await using health = await createTestHealth(node.url);
    health.start();
    await until(health.health, isHealthy);
    const text = await registry.metrics();
    expect(text).toMatch(/^moraine_metadata_pending\{chain="7",kind="erc20"\} 10000$/m);
    expect(text).toMatch(/^moraine_metadata_pending\{chain="7",kind="nft"\} 0$/m);
    expect(text).toMatch(/^moraine_database_size_bytes \d{7,}$/m);
    expect(text).toMatch(/^moraine_health_check\{check="database"\} 1$/m);
  });

  it("has the state of each replica of the main database", async () => {
    const readUrls = ["postgresql://moraine@127.0.0.1:1/moraine"];
    await using replicated = openDatabase(database.url, 2, createLogger("silent"), { readUrls });
    await using health = await createTestHealth(node.url, { database: replicated });
    await health.tick();
    expect(health.health().checks.find(({ name }) => name === "database")).toMatchObject({
      error: null,
      message: { replicas: [{ isUsed: false, lagSeconds: null }] },
    });
  });

  it("shows the sizes and the pending metadata of the other databases while one is unavailable", async () => {
    const registry = await startMetrics();
    await database.pool.query(
      `INSERT INTO chain_heads (chain_id, genesis_hash, raw_seq, block_number, block_hash, block_timestamp, cumulative_transactions)
       VALUES (7, '', 0, 0, '', 0, 0)`,
    );
    const away = { chainId: 8, databaseUrl: "postgresql://moraine@127.0.0.1:1/moraine" };
    const placement = placementOf({ evmChains: [away], primaryNetworks: [] }, database.url);
    await using placed = openDatabase(database.url, 2, createLogger("silent"), { placement });
    await using _health = await createTestHealth(node.url, { database: placed });
    const text = await registry.metrics();
    expect(text).toMatch(/^moraine_database_size_bytes \d{7,}$/m);
    expect(text).toMatch(/^moraine_metadata_pending\{chain="7",kind="nft"\} 0$/m);
  });

  it("is read without running checks", async () => {
    await using health = await createTestHealth(node.url);
    await health.tick();
    const asked = node.asked.length;
    const statements = await statementsOf(async () => {
      for (let i = 0; i < 100; i++) [health.health(), health.readiness(), health.liveness()];
      await sleep(20);
    });
    expect([statements, node.asked.length]).toEqual([[], asked]);
  });

  it("includes the node's checks with their times, counters and tags", async () => {
    await using health = await createTestHealth(node.url);
    node.health = recordedAnswer("health-outage-2s", false);
    await health.tick();
    const nodeReport = JSON.parse(node.health.text) as { checks: Record<string, Record<string, unknown>> };
    expect(namesOf(health.health())).toEqual([
      "bootstrapped",
      "database",
      "diskspace",
      "network",
      ...Object.keys(nodeReport.checks).map((name) => `node/${name}`),
      "router",
    ]);
    expect(health.health().healthy).toBe(false);
    expect(health.health().checks.find(({ name }) => name === "node/P")).toMatchObject({
      ...nodeReport.checks["P"],
      duration: String(nodeReport.checks["P"]?.["duration"]),
      tags: [PRIMARY],
    });
    expect(namesOf(health.health(["none"]))).toEqual(
      namesOf(health.health()).filter((name) => !/^node\/[PXC]$/.test(name)),
    );
  });

  it("fails only in the check network, and omits the node's checks, while the node fails", async () => {
    await using faulty = await startFaultyNode({ upstream: node.url });
    await using health = await createTestHealth(faulty.url);
    health.start();
    const faults = {
      gone: () => faulty.down(),
      slow: () => Object.assign(faulty.faults, { delayMs: 3_000 }),
      cut: () => Object.assign(faulty.faults, { cutsConnections: true }),
      garbage: () => Object.assign(faulty.faults, { garbage: "truncated" }),
      refusing: () => Object.assign(faulty.faults, { status: { code: 429 } }),
      another: () => Object.assign(node, { networkId: "5" }),
    };
    const seen: Record<string, unknown> = {};
    for (const [name, fail] of Object.entries(faults)) {
      await until(health.health, isHealthy);
      await fail();
      const report = await until(health.health, isUnhealthy);
      seen[name] = errorsOf(report)["network"];
      expect(Object.keys(errorsOf(report))).toEqual(["network"]);
      expect(namesOf(report).filter((one) => one.startsWith("node/"))).toEqual([]);
      await faulty.heal();
      node.networkId = "12345";
    }
    const report = await until(health.health, isHealthy);
    expect(namesOf(report)).toContain("node/bls");
    const why = "network layer is unhealthy reason: the upstream node";
    const infoOrHealth = expect.stringMatching(/answered (info.getNetworkID|\/ext\/health) with/);
    expect(seen).toEqual({
      gone: `${why} cannot be reached`,
      slow: `${why} did not answer within 800ms`,
      cut: `${why} cannot be reached`,
      garbage: infoOrHealth,
      refusing: infoOrHealth,
      another: `${why} belongs to network 5, not to 12345`,
    });
  });

  it("fails in the check router on every run while a part hangs, within the time limit", async () => {
    let hangs = true;
    const gateway: Probe = (signal) =>
      hangs ? new Promise((_, fail) => signal.addEventListener("abort", fail)) : Promise.resolve();
    await using health = await createTestHealth(node.url, { probes: { gateway } });
    health.start();
    const router = () => health.health().checks.find(({ name }) => name === "router");
    await until(health.health, () => (router()?.contiguousFailures ?? 0) > 3);
    expect(router()).toMatchObject({
      error: "the router is not healthy reason: gateway: no answer within 800ms",
      message: { outstandingRequests: 1 },
    });
    expect(Object.keys(errorsOf(health.health()))).toEqual(["router"]);
    hangs = false;
    await until(health.health, isHealthy);
  });

  it("is sent to subscribers: the current report, then each change, until the shutdown", async () => {
    await using health = await createTestHealth(node.url);
    const seen: unknown[] = [];
    const following = (async () => {
      for await (const report of health.follow(["application"])) seen.push([report.healthy, errorsOf(report)]);
    })();
    await sleep(1);
    expect(seen).toEqual([[false, expect.objectContaining({ database: "not yet run", router: "not yet run" })]]);
    await health.tick();
    await sleep(1);
    const before = seen.length;
    expect(before).toBe(2);
    await health.tick();
    await sleep(1);
    expect([seen.length, seen.at(-1)]).toEqual([before, [true, {}]]);
    node.networkId = "5";
    await health.tick();
    await sleep(1);
    await health[Symbol.asyncDispose]();
    await following;
    const error = "network layer is unhealthy reason: the upstream node belongs to network 5, not to 12345";
    expect(seen.slice(before)).toEqual([
      [false, { network: error }],
      [false, { network: error, shuttingDown: "server shutting down" }],
    ]);
  });

  it("sends the report of a run only when all its checks have ended", async () => {
    let end = () => {};
    const gateway: Probe = () => new Promise((done) => (end = () => done(null)));
    await using health = await createTestHealth(node.url, { probes: { gateway } });
    const following = health.follow();
    await following.next();
    let hasReport = false;
    const next = following.next().finally(() => {
      hasReport = true;
    });
    const ticking = health.tick();
    await until(health.health, (report) => Object.keys(errorsOf(report)).join() === "router");
    expect(hasReport).toBe(false);
    end();
    await ticking;
    expect(errorsOf((await next).value)).toEqual({});
    await following.return?.();
  });

  it("has the failed check shuttingDown after the shutdown has started", async () => {
    const health = await createTestHealth(node.url);
    await health.tick();
    await health[Symbol.asyncDispose]();
    expect(errorsOf(health.health())).toEqual({ shuttingDown: "server shutting down" });
    expect(health.health(["x"]).checks.find(({ name }) => name === "shuttingDown")).toMatchObject({
      message: { isShuttingDown: true },
      tags: ["application"],
      contiguousFailures: 1,
    });
    expect([health.readiness().healthy, health.liveness().healthy]).toEqual([true, true]);
  });
});
