import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { type MoraineDeps, startMoraine } from "../../commands/moraine.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger } from "../../core/observability/logger.ts";
import type { Graph } from "../../gateway/graph.ts";
import { until } from "../process/until.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { listen } from "../support/node/listen.ts";
import { C_CHAIN } from "./evm.ts";

/** Number of ports on which this process listens. */
function openPorts(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
}

function start(database: TestDatabase, options: Pick<MoraineDeps, "config" | "prepare">) {
  const logger = createLogger("silent");
  return startMoraine({ database, counters: createLocalCounters(), logger, idleGraceMs: 0, ...options });
}

it("the graph is prepared, with the operations of all ports, before a port is opened", async () => {
  await using database = await createTestDatabase();
  const before = openPorts();
  const seen: number[] = [];
  await using _moraine = await start(database, {
    config: { ...testConfig(), port: 0, metricsPort: 0 },
    async prepare(graph) {
      await graph.warmUp();
      seen.push(openPorts() - before);
    },
  });
  seen.push(openPorts() - before);
  expect(seen).toEqual([0, 2]);
});

/** Names of the database sessions for notifications, each of which a subgraph opens. */
async function listeningSessions({ pool }: TestDatabase): Promise<string[]> {
  const text = `SELECT application_name AS name FROM pg_stat_activity
    WHERE datname = current_database() AND application_name LIKE 'moraine: %' ORDER BY name`;
  return (await pool.query<{ name: string }>(text)).rows.map(({ name }) => name);
}

/** Subscribes to a graph over one WebSocket, on a port of its own. Disposing it closes the port. */
async function subscribe({ upgrade }: Graph, selections: readonly string[]) {
  const server = createServer().on("upgrade", upgrade).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = createClient({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
  });
  const closed = new Promise((resolve) => client.on("closed", resolve));
  for (const selection of selections)
    client.subscribe(
      { query: `subscription { ${selection} }` },
      { next: () => {}, error: () => {}, complete: () => {} },
    );
  return { closed, [Symbol.asyncDispose]: async () => void server.close() };
}

it("the graph and the subgraphs are disposed if the preparation fails", async () => {
  await using database = await indexedAlpha();
  const sessions = ["moraine: new blocks", "moraine: operations"];
  let subscribed: Awaited<ReturnType<typeof subscribe>> | undefined;
  const starting = start(database, {
    config: { ...database.config, port: 0 },
    async prepare(graph) {
      const blocks = `blockAdded(chainId: "${C_CHAIN}") { blockNumber }`;
      subscribed = await subscribe(graph, [blocks, 'operationsUpdated(cancelTokens: ["x"]) { operationId }']);
      await until(
        async () => (await listeningSessions(database)).join() === sessions.join(),
        () => "a subscription has not started",
      );
      throw new Error("the preparation fails");
    },
  });
  await expect(starting).rejects.toThrow("the preparation fails");
  expect(await subscribed?.closed).toMatchObject({ code: 1001 });
  await until(
    async () => (await listeningSessions(database)).length === 0,
    () => "a session for notifications is still open",
  );
  await subscribed?.[Symbol.asyncDispose]();
});

it("the first port is closed again if the second one cannot be opened", async () => {
  await using database = await createTestDatabase();
  await using other = await listen(() => {});
  const before = openPorts();
  const config = { ...testConfig(), port: 0, metricsPort: other.port };
  await expect(start(database, { config, prepare: async () => {} })).rejects.toThrow(
    `setting metricsPort is ${other.port}: another process listens there`,
  );
  expect(openPorts()).toBe(before);
});
