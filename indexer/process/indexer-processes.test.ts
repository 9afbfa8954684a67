import { readdirSync, readFileSync } from "node:fs";
import { getPriority } from "node:os";
import { metricsText } from "../../core/observability/forked-metrics.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { demoConfig } from "../../recordings/demo.ts";
import { type ReplayNode, startReplayNode } from "../../recordings/replay-node.ts";
import { HAS_AUTOGROUPS } from "../../test/support/autogroups.ts";
import { testConfig } from "../../test/support/config.ts";
import { createTestDatabase } from "../../test/support/database/database.ts";
import { dumpTables } from "../../test/support/database/tables.ts";
import { childPids } from "../../test/support/exports/worker-pids.ts";
import { untilIndexed } from "../../test/support/indexed/indexed.ts";
import { until } from "../../test/support/indexed/indexing.ts";
import { createLogLines } from "../../test/support/log-lines.ts";
import { startMetrics } from "../../test/support/metrics.ts";
import { startIndexer } from "../indexer.ts";
import { ownAutogroup } from "../shared/autogroup.ts";
import { startIndexerProcesses } from "./indexer-processes.ts";
import { nodeOptions } from "./node-options.ts";
import { thisMachine } from "./process-count.ts";

const CHAIN_ID = 760_012;
const ALIAS = "l1";
const SCRIPT = "indexer/process/worker.";

const OTHER_CHAIN_ID = 760_011;
const OTHER_ALIAS = "C";

const autogroupOf = (pid: number) => ownAutogroup(pid)?.niceness;

const pids = () => childPids(process.pid, SCRIPT);

/** The niceness of a process; null if it has ended. */
function priorityOf(pid: number): number | null {
  try {
    return getPriority(pid);
  } catch {
    return null;
  }
}

function configOf({ recording, url }: ReplayNode, settings: object = {}) {
  const evmChains = demoConfig(recording.manifest, url).filter(({ chainId }) => chainId === CHAIN_ID);
  return testConfig({ evmChains, ...settings });
}

describe("the process of the indexer", () => {
  it("reports states and metrics of its chains; a killed one is replaced by another, which neither loses nor repeats rows", async () => {
    await using node = await startReplayNode();
    node.setHead(ALIAS, 20);
    await using database = await createTestDatabase();
    const { logger, lines } = createLogLines("warn");
    const config = configOf(node, { logLevel: "silent", observability: { port: 0 } });
    {
      await using indexer = startIndexerProcesses({ config, databaseUrl: database.url, logger });
      expect(indexer.states()).toBeNull();
      indexer.begin();
      await untilIndexed(database, { [CHAIN_ID]: 20 });
      await until(
        async () => indexer.states(),
        (states) => states?.join() === "FOLLOWING",
        "the state of the chain",
      );
      const registry = await startMetrics();
      expect(await metricsText(registry)).toMatch(
        new RegExp(`^moraine_indexer_block_height\\{.*chain="${CHAIN_ID}",.*process="indexer"\\} 20$`, "m"),
      );
      const [pid = 0, ...others] = pids();
      expect(others).toEqual([]);
      process.kill(pid, "SIGKILL");
      await until(
        async () => indexer.states(),
        (states) => states === null,
        "the end of the process",
      );
      // The new process begins after half a second.
      const reasonOf = async () =>
        (await database.pool.query<{ reason: string | null }>("SELECT reason FROM chain_progress")).rows[0]?.reason;
      await until(
        reasonOf,
        (reason) => reason === "the indexer's process has ended (SIGKILL) and restarts",
        "the reason",
      );
      node.setHead(ALIAS, 40);
      await untilIndexed(database, { [CHAIN_ID]: 40 });
      await until(reasonOf, (reason) => reason === null, "the end of the reason");
      expect(pids()).not.toContain(pid);
      expect(lines).toMatchObject([
        { level: 40, msg: "the indexer's process has ended (SIGKILL); a new one starts in 0.5 s" },
      ]);
    }
    expect(pids()).toEqual([]);
    await using other = await createTestDatabase();
    await using _indexer = startIndexer(config, other.url, createLogger("silent"));
    await untilIndexed(other, { [CHAIN_ID]: 40 });
    expect((await dumpTables(database.pool, CHAIN_ID)).tables).toEqual((await dumpTables(other.pool, CHAIN_ID)).tables);
  });

  it("runs two chains in two processes, of which a killed one is replaced while the other goes on", async () => {
    await using node = await startReplayNode();
    node.setHead(ALIAS, 10);
    node.setHead(OTHER_ALIAS, 10);
    await using database = await createTestDatabase();
    const { logger, lines } = createLogLines("warn");
    const evmChains = demoConfig(node.recording.manifest, node.url);
    expect(evmChains.map(({ chainId }) => chainId)).toEqual([OTHER_CHAIN_ID, CHAIN_ID]);
    const settings = { indexing: { processes: 2 }, logLevel: "silent", observability: { port: 0 } };
    const config = testConfig({ evmChains, ...settings });
    {
      await using indexer = startIndexerProcesses({ config, databaseUrl: database.url, logger });
      indexer.begin();
      await untilIndexed(database, { [CHAIN_ID]: 10, [OTHER_CHAIN_ID]: 10 });
      await until(
        async () => indexer.states(),
        (states) => states?.join() === "FOLLOWING,FOLLOWING",
        "the states of both chains",
      );
      const registry = await startMetrics();
      const text = await metricsText(registry);
      const height = (chain: number, process: string) =>
        new RegExp(`^moraine_indexer_block_height\\{.*chain="${chain}",.*process="${process}"\\} 10$`, "m");
      expect(text).toMatch(height(OTHER_CHAIN_ID, "indexer-1"));
      expect(text).toMatch(height(CHAIN_ID, "indexer-2"));
      const [first, second, ...others] = pids();
      expect(others).toEqual([]);
      process.kill(second ?? 0, "SIGKILL");
      await until(
        async () => pids(),
        (running) => !running.includes(second ?? 0),
        "the end of the process",
      );
      node.setHead(ALIAS, 20);
      node.setHead(OTHER_ALIAS, 20);
      await untilIndexed(database, { [CHAIN_ID]: 20, [OTHER_CHAIN_ID]: 20 });
      expect(pids()).toContain(first);
      expect(lines).toMatchObject([
        { level: 40, msg: "process 2 of 2 of the indexer has ended (SIGKILL); a new one starts in 0.5 s" },
      ]);
    }
    expect(pids()).toEqual([]);
  });

  it("lowers the priority of all its threads and of the sessions that write, and of no other session", async () => {
    await using node = await startReplayNode();
    node.setHead(ALIAS, 10);
    await using database = await createTestDatabase();
    const config = configOf(node);
    const niceness = { process: 3, sessions: 2 };
    const pidText = "SELECT pg_backend_pid() AS pid";
    const sessionNiceness = getPriority((await database.pool.query<{ pid: number }>(pidText)).rows[0]?.pid ?? 0);
    await using indexer = startIndexerProcesses({
      config,
      databaseUrl: database.url,
      logger: createLogger("silent"),
      niceness,
    });
    indexer.begin();
    await untilIndexed(database, { [CHAIN_ID]: 10 });
    const [worker = 0] = pids();
    const threads = process.platform === "linux" ? readdirSync(`/proc/${worker}/task`).map(Number) : [worker];
    expect(new Set(threads.map((thread) => getPriority(thread)))).toEqual(new Set([getPriority() + 3]));
    const text = "SELECT application_name AS name, pid FROM pg_stat_activity WHERE datname = current_database()";
    const mustBeLowered = ({ name }: { name: string }) => /^moraine (writer|maintenance)/.test(name);
    const isLowered = ({ pid }: { pid: number }) =>
      priorityOf(pid) === sessionNiceness + 2 && autogroupOf(pid) === (HAS_AUTOGROUPS ? 2 : undefined);
    const sessions = await until(
      async () => (await database.pool.query<{ name: string; pid: number }>(text)).rows,
      (rows) => rows.filter(mustBeLowered).filter(isLowered).length === 2,
      "the lower priority of both sessions",
    );
    const others = sessions.filter((session) => !mustBeLowered(session)).map(({ pid }) => priorityOf(pid));
    expect(new Set(others.filter((priority) => priority !== null))).toEqual(new Set([sessionNiceness]));
    await until(
      async () => autogroupOf(worker),
      (niceness) => niceness === (HAS_AUTOGROUPS ? 3 : undefined),
      "the lower priority of the session of the indexer's process",
    );
  });

  it("reports no states while another process writes its chains, and takes over when that one ends", async () => {
    await using node = await startReplayNode();
    node.setHead(ALIAS, 5);
    await using database = await createTestDatabase();
    const config = configOf(node);
    await using indexer = startIndexerProcesses({ config, databaseUrl: database.url, logger: createLogger("silent") });
    {
      await using _writer = startIndexer(config, database.url, createLogger("silent"));
      await untilIndexed(database, { [CHAIN_ID]: 5 });
      indexer.begin();
      await until(
        async () => indexer.states(),
        (states) => states?.length === 0,
        "the process to wait",
      );
    }
    await until(
      async () => indexer.states(),
      (states) => states?.join() === "FOLLOWING",
      "the process to take over",
    );
  });

  it("is not started if the settings name neither a chain nor a network", async () => {
    const options = { config: testConfig(), databaseUrl: "postgresql://127.0.0.1:1/none" };
    await using indexer = startIndexerProcesses({ ...options, logger: createLogger("silent") });
    indexer.begin();
    expect(pids()).toEqual([]);
    expect(indexer.states()).toEqual([]);
  });

  it("has the options of Node.js for this machine", async () => {
    await using node = await startReplayNode();
    const options = { config: configOf(node), databaseUrl: "postgresql://127.0.0.1:1/none" };
    await using _indexer = startIndexerProcesses({ ...options, logger: createLogger("silent") });
    const words = readFileSync(`/proc/${pids()[0]}/cmdline`, "utf8").split("\0");
    expect(words).toEqual(expect.arrayContaining(nodeOptions(thisMachine().cores, 1)));
  });

  it("ends before it has begun, and when the signal is aborted", async () => {
    await using node = await startReplayNode();
    const end = new AbortController();
    const { logger, lines } = createLogLines("warn");
    const options = { config: configOf(node), databaseUrl: "postgresql://127.0.0.1:1/none", logger };
    await using indexer = startIndexerProcesses({ ...options, signal: end.signal });
    expect(pids()).toHaveLength(1);
    end.abort();
    await until(
      async () => pids(),
      (running) => running.length === 0,
      "the end of the process",
    );
    indexer.begin();
    expect(lines).toEqual([]);
  });
});
