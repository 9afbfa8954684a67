import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "./core/config.ts";
import { openDatabase } from "./core/database.ts";
import { startEmbeddedPostgres } from "./core/embedded-postgres/embedded-postgres.ts";
import { createLogger } from "./core/logger.ts";
import { migrate } from "./core/migrate.ts";
import { runUntilSignal } from "./core/process.ts";
import { startSharedCounters } from "./core/shared-rate-counters.ts";
import { isDemo, startDemo } from "./demo.ts";
import { type Indexer, startIndexer } from "./indexer/indexer.ts";
import { showProgress } from "./indexer/terminal.ts";
import { startMoraine } from "./moraine.ts";

/** Longest that the address is held back so that the demo's first answers are whole. */
const DEMO_PATIENCE_MS = 30_000;

/** Everything in one process: database, indexer, graph, REST. */
await runUntilSignal(async (stack) => {
  const configured = loadConfig(process.env, process.argv.slice(2));
  const logger = createLogger(configured.logLevel);
  const databaseUrl =
    configured.databaseUrl ?? stack.use(await startEmbeddedPostgres(configured.dataDirectory, stack.signal)).url;
  await migrate(databaseUrl);
  const demo = isDemo(configured) ? await startDemo(configured) : null;
  if (demo) stack.use(demo.node);
  const config = demo?.config ?? configured;
  const database = stack.use(openDatabase(databaseUrl, config.databasePoolSize, logger));
  const counters = stack.use(startSharedCounters({ databaseUrl, logger }));
  const moraine = stack.use(await startMoraine({ config, database, counters, logger }));
  const indexer = stack.use(startIndexer(config, databaseUrl, logger));
  stack.use(showProgress(indexer.progress, process.stdout, logger));
  if (demo) await untilFollowing(indexer, config.evmChains.length + 3 * config.primaryNetworks.length);
  console.log(`Moraine answers on http://${config.host}:${moraine.port}  (GraphQL: /graphql, REST: /v1/chains)`);
  if (moraine.metricsPort !== null) console.log(`Metrics paths answer on http://${config.host}:${moraine.metricsPort}`);
});

/** Another process may be the writer: then there is nothing to wait for here. */
async function untilFollowing(indexer: Indexer, chains: number): Promise<void> {
  const deadline = performance.now() + DEMO_PATIENCE_MS;
  const isFollowing = () => indexer.progress.filter(({ current }) => current.state === "FOLLOWING").length === chains;
  const isStandby = () => indexer.progress.length === 0 && performance.now() > deadline - DEMO_PATIENCE_MS + 3_000;
  while (!isFollowing() && !isStandby() && performance.now() < deadline) await sleep(50);
}
