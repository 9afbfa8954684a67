import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getIntrospectionQuery } from "graphql";
import { startMoraine } from "../../commands/moraine.ts";
import { startServer } from "../../core/http/server.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { createHttpGraphClient } from "../../rest-compat/graph/http-graph-client.ts";
import { loadOperation } from "../../rest-compat/graph/operation.ts";
import { createRestServer } from "../../rest-compat/rest-server.ts";
import { httpProbe } from "../../subgraphs/node/health/checks/probes.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { createLogLines } from "../support/log-lines.ts";
import { serveGraph } from "./served.ts";

const folder = mkdtempSync(join(tmpdir(), "moraine-"));
afterAll(() => rmSync(folder, { recursive: true }));

const HEALTH_CHECK = loadOperation("health-check").document;
const INTROSPECTION = getIntrospectionQuery();
const logger = createLogger("silent");

/** Settings with a list that allows only these documents. */
function allowing(...documents: readonly string[]) {
  const path = join(folder, "operations.json");
  writeFileSync(path, JSON.stringify(Object.fromEntries(documents.entries())));
  return testConfig({ graphql: { allowedOperationsFile: path } });
}

async function statusAndBody(url: string) {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
}

/** The gateway, and REST as in a process of its own. */
async function startParts(database: TestDatabase, ...documents: readonly string[]) {
  const config = allowing(...documents);
  const gateway = await serveGraph({ database, config });
  const options = { url: gateway.url, keyHeader: "x-service-api-key", logger };
  const graph = await createHttpGraphClient(options, new AbortController().signal);
  const rest = createRestServer({ graph, config: testConfig(), logger, counters: createLocalCounters() });
  const server = await startServer({ host: "127.0.0.1", port: 0, idleGraceMs: 0, ...rest });
  return {
    gatewayUrl: gateway.url,
    health: () => statusAndBody(`http://127.0.0.1:${server.port}/v1/health-check`),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await graph[Symbol.asyncDispose]();
      await gateway[Symbol.asyncDispose]();
    },
  };
}

describe("with a list of allowed operations, health checks", () => {
  it("do not depend on the list if all parts run in one process", async () => {
    await using database = await createTestDatabase();
    const config = allowing("{ chains { chains { chainId } } }");
    await using moraine = await startMoraine({
      config,
      database,
      logger,
      counters: createLocalCounters(),
      idleGraceMs: 0,
    });
    const url = `http://127.0.0.1:${moraine.port}`;
    expect(await statusAndBody(`${url}/v1/health-check`)).toMatchObject({ status: 200, body: { status: "ok" } });
    let router: { readonly error?: string } | undefined;
    while (router === undefined || router.error === "not yet run")
      router = (await statusAndBody(`${url}/ext/health`)).body.checks.router;
    expect(router).toMatchObject({ message: { parts: { gateway: { healthy: true } } } });
    expect(router.error).toBeUndefined();
  });

  it("of REST in a process of its own name the missing operation", async () => {
    await using database = await createTestDatabase();
    await using parts = await startParts(database, INTROSPECTION);
    expect(await parts.health()).toMatchObject({
      status: 503,
      body: { message: "the list of allowed operations of the gateway does not contain the operation HealthCheck" },
    });
  });

  it("of REST in a process of its own need HealthCheck, and name the part at fault also without the other operations", async () => {
    await using database = await createTestDatabase();
    await using parts = await startParts(database, INTROSPECTION, HEALTH_CHECK);
    expect((await parts.health()).status).toBe(200);
    await database.pool.query("ALTER TABLE chain_heads RENAME TO renamed");
    expect(await parts.health()).toMatchObject({
      status: 503,
      body: { message: "the database does not answer correctly" },
    });
  });

  it("of a node subgraph in a process of its own take the refusal as an answer of the gateway", async () => {
    await using database = await createTestDatabase();
    await using parts = await startParts(database, INTROSPECTION);
    await httpProbe(parts.gatewayUrl)(new AbortController().signal);
  });

  it("are not reached while REST waits for a gateway that does not allow the introspection query: the log says so", async () => {
    await using database = await createTestDatabase();
    await using gateway = await serveGraph({ database, config: allowing(HEALTH_CHECK) });
    const { logger, lines } = createLogLines("warn");
    const stop = new AbortController();
    const options = { url: gateway.url, keyHeader: "x-service-api-key", logger };
    const client = createHttpGraphClient(options, stop.signal);
    client.catch(() => {});
    while (lines.length === 0) await new Promise((done) => setTimeout(done, 10));
    stop.abort(new Error("stopped by the test"));
    await expect(client).rejects.toThrow("stopped by the test");
    expect(lines[0]).toMatchObject({ reason: "the operation is not in the list of allowed operations" });
  });
});
