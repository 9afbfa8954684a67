import { once } from "node:events";
import { connect } from "node:net";
import { createLogger } from "../../core/logger.ts";
import { createLocalCounters } from "../../core/rate-counters.ts";
import { startMoraine } from "../../moraine.ts";
import { testConfig } from "../support/config.ts";
import { createTestDatabase } from "../support/database/database.ts";
import { listen } from "../support/node/listen.ts";

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

it("the graph is prepared, with the operations of all ports, before a port is opened", async () => {
  await using database = await createTestDatabase();
  const ports = [await freePort(), await freePort()] as const;
  const [port, metricsPort] = ports;
  const arePortsOpen = () => Promise.all(ports.map(isOpen));
  const seen: unknown[] = [];
  await using moraine = await startMoraine({
    config: { ...testConfig(), port, metricsPort },
    database,
    counters: createLocalCounters(),
    logger: createLogger("silent"),
    idleGraceMs: 0,
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
