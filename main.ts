import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "./core/config.ts";
import type { Config } from "./core/config-schema.ts";
import { openDatabase } from "./core/database.ts";
import { startEmbeddedPostgres } from "./core/embedded-postgres/embedded-postgres.ts";
import { createLogger } from "./core/logger.ts";
import { migrate } from "./core/migrate.ts";
import { runUntilSignal } from "./core/process.ts";
import { startSharedCounters } from "./core/shared-rate-counters.ts";
import { demoValidators, isDemo, startDemo } from "./demo.ts";
import { checkSettings } from "./indexer/check-settings.ts";
import type { Indexer } from "./indexer/indexer.ts";

/** How long the demo may wait for its chains to be indexed before its address is printed. */
const DEMO_PATIENCE_MS = 30_000;
/** After this time without progress of its own, a process assumes that another process indexes the chains. */
const STANDBY_AFTER_MS = 3_000;

/** Runs all parts in one process: database, indexer, GraphQL and REST. */
await runUntilSignal(async (stack) => {
  const configured = loadConfig(process.env, process.argv.slice(2));
  const logger = createLogger(configured.logLevel);
  await checkSettings(configured, logger);
  const { dataDirectory } = configured;
  const databaseUrl = configured.databaseUrl ?? stack.use(await startEmbeddedPostgres(dataDirectory, stack.signal)).url;
  await migrate(databaseUrl);
  stack.signal.throwIfAborted();
  // Loading the graph takes seconds. A wrong setting or an unusable database is reported without it.
  const [
    { startMoraine },
    { startIndexer },
    { showProgress },
    { startExporterProcess },
    { startSignatureService },
    { startDemoService },
  ] = await Promise.all([
    import("./moraine.ts"),
    import("./indexer/indexer.ts"),
    import("./indexer/terminal.ts"),
    import("./exporter/process/exporter-process.ts"),
    import("./signatures/process/start-service.ts"),
    import("./signatures/demo/start-demo-service.ts"),
  ]);
  stack.signal.throwIfAborted();
  const demo = isDemo(configured) ? await startDemo(configured) : null;
  if (demo) stack.use(demo.node);
  const config = demo?.config ?? configured;
  const database = stack.use(openDatabase(databaseUrl, config.databasePoolSize, logger));
  const counters = stack.use(startSharedCounters({ databaseUrl, logger }));
  const { isOn, serviceUrl } = config.signatures;
  const startsService = isOn && serviceUrl === undefined;
  const recorded = startsService && demo ? demoValidators(demo.node, config) : null;
  const service = { config, databaseUrl, logger };
  const signatures = startsService
    ? stack.use(recorded ? startDemoService(service, recorded) : startSignatureService(service))
    : null;
  const signatureServiceUrl = (signal?: AbortSignal) => signatures?.urlSoon(signal) ?? null;
  const moraine = stack.use(await startMoraine({ config, database, counters, logger, signatureServiceUrl }));
  const indexer = stack.use(startIndexer(config, databaseUrl, logger));
  if (config.exports.isOn) stack.use(startExporterProcess({ config, databaseUrl, logger }));
  stack.use(showProgress(indexer.progress, process.stdout, logger));
  await moraine.graph.warmUp();
  if (demo) await untilFollowing(indexer, config, stack.signal);
  console.log(`Moraine answers on http://${config.host}:${moraine.port}  (GraphQL: /graphql, REST: /v1/chains)`);
  if (moraine.metricsPort !== null) console.log(`Metrics paths answer on http://${config.host}:${moraine.metricsPort}`);
});

/** Resolves when all chains follow their heads, when another process indexes them, or when the time is up. */
async function untilFollowing(
  { progress }: Indexer,
  { evmChains, primaryNetworks }: Config,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = performance.now();
  const chains = evmChains.length + 3 * primaryNetworks.length;
  const isFollowing = () => progress.filter(({ current }) => current.state === "FOLLOWING").length === chains;
  const isStandby = () => progress.length === 0 && performance.now() - startedAt > STANDBY_AFTER_MS;
  const isLate = () => performance.now() - startedAt > DEMO_PATIENCE_MS;
  while (!isFollowing() && !isStandby() && !isLate()) await sleep(50, null, { signal });
}
