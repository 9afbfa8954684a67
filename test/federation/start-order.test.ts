import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { createClient } from "graphql-ws";
import WebSocket from "ws";
import { createLogger } from "../../core/logger.ts";
import { createLocalCounters } from "../../core/rate-counters.ts";
import type { Graph } from "../../gateway/graph.ts";
import { type MoraineDeps, startMoraine } from "../../moraine.ts";
import { until } from "../process/until.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase, type TestDatabase } from "../support/database/database.ts";
import { indexedAlpha } from "../support/indexed/indexed.ts";
import { listen } from "../support/node/listen.ts";
import { C_CHAIN } from "./evm.ts";

/** A port on which nothing listens. */
async function freePort(): Promise<number> {
  await using listener = await listen(() => {});
  return listener.port;
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function start(database: TestDatabase, options: Pick<MoraineDeps, "config" | "prepare">) {
  const logger = createLogger("silent");
  return startMoraine({ database, counters: createLocalCounters(), logger, idleGraceMs: 0, ...options });
}

it("the graph is prepared, with the operations of all ports, before a port is opened", async () => {
  await using database = await createTestDatabase();
  const ports = [await freePort(), await freePort()] as const;
  const [port, metricsPort] = ports;
  const arePortsOpen = () => Promise.all(ports.map(isOpen));
  const seen: unknown[] = [];
  await using moraine = await start(database, {
    config: { ...testConfig(), port, metricsPort },
    async prepare(graph) {
      await graph.warmUp();
      seen.push(await arePortsOpen());
    },
  });
  seen.push(await arePortsOpen());
  expect(seen).toEqual([
    [false, false],
    [true, true],
  ]);
  expect([moraine.port, moraine.metricsPort]).toEqual(ports);
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
      subscribed = await subscribe(graph, [blocks, "operationsUpdated { operationId }"]);
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
  const port = await freePort();
  const config = { ...testConfig(), port, metricsPort: other.port };
  await expect(start(database, { config, prepare: async () => {} })).rejects.toThrow(
    `setting metricsPort is ${other.port}: another process listens there`,
  );
  expect(await isOpen(port)).toBe(false);
});
