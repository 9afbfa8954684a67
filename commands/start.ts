import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { migrateAll, untilAllMigrated, withUsableDatabases } from "../core/database/cells.ts";
import { requireServers } from "../core/database/check-replicas.ts";
import { placementOf } from "../core/database/placement.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import { clusterPath } from "../core/embedded-postgres/cluster-paths.ts";
import {
  allSessions,
  checkServers,
  embeddedConnections,
  embeddedLocks,
} from "../core/embedded-postgres/database-sessions.ts";
import { startEmbeddedPostgres } from "../core/embedded-postgres/embedded-postgres.ts";
import { messageOf } from "../core/errors/errors.ts";
import { drainMs } from "../core/http/server.ts";
import { serverUrl } from "../core/http/server-url.ts";
import { createLogger, printLine } from "../core/observability/logger.ts";
import { runUntilSignal, type Stack } from "../core/processes/process.ts";
import { startObservability } from "../core/processes/start.ts";
import { checkSettings } from "../indexer/check-settings.ts";
import { outdatedRowsOf } from "../indexer/outdated-rows.ts";
import { type IndexerProcesses, processesOf } from "../indexer/process/indexer-processes.ts";
import { nicenessOf } from "../indexer/process/niceness.ts";
import { loadParts, startApi } from "./api/api.ts";
import { startApiProcesses } from "./api/api-processes.ts";
import { isDemo, startDemo } from "./demo.ts";
import { createPartProcesses } from "./part-processes.ts";
import { expectedMessage } from "./program/expected-message.ts";
import { noteProcess, type Reloaded, reloadedConfig, sessionsOfService } from "./reload.ts";

/** How long the demo may wait for its chains to be indexed before its address is printed. */
const DEMO_PATIENCE_MS = 30_000;
/** After this time without progress of its own, a process assumes that another process indexes the chains. */
const STANDBY_AFTER_MS = 3_000;

/**
 * Runs the API (GraphQL and REST) in this process, or in several by the setting `api`, and, in processes of their own, the database and
 * those of the parts `indexer`, `exporter` and `signatures` that are given. Without the indexer, waits until another process has created
 * or upgraded the tables. The process ends with its parts. On SIGHUP, it reads the settings again.
 */
export function startService(parts: ReadonlySet<string>, flags: readonly string[]): Promise<void> {
  return runUntilSignal((stack) => startAll(stack, parts, flags));
}

async function startAll(stack: Stack, parts: ReadonlySet<string>, flags: readonly string[]): Promise<void> {
  const configured = loadConfig(process.env, flags);
  const logger = createLogger(configured.logLevel);
  stack.logEnd(logger);
  stack.use(await startObservability(configured, "moraine", logger));
  const indexes = parts.has("indexer");
  if (indexes) await checkSettings(configured, logger);
  const { dataDirectory } = configured;
  stack.drainWithin(drainMs(configured.shutdown));
  // Loading the graph takes a second, and so does the start of the embedded PostgreSQL: both run at the same time. With another
  // database, the graph is loaded later, so an unusable database is reported at once. A failed load fails again below.
  if (configured.databaseUrl === undefined && configured.api.processes === 1) loadParts().catch(() => {});
  const databaseUrl =
    configured.databaseUrl === undefined
      ? stack.use(await startEmbeddedPostgres(dataDirectory, stack.signal, embeddedSettings(configured))).url
      : await usableDatabase(configured.databaseUrl);
  const report = (line: string) => logger.info(line);
  const ownDirectory = configured.databaseUrl === undefined ? clusterPath(dataDirectory) : null;
  const placed = await withUsableDatabases(configured);
  const placement = placementOf(placed, databaseUrl);
  if (indexes) await migrateAll(placement, report, { signal: stack.signal, directory: ownDirectory });
  else await untilAllMigrated(placement, stack.signal, report);
  stack.signal.throwIfAborted();
  const demo = isDemo(configured) ? await startDemo(placed) : null;
  if (demo) stack.use(demo.node);
  const config = demo?.config ?? placed;
  await checkServers(config, placement, sessionsOfService, logger);
  await requireServers(placement, config.databaseReadUrls);
  const { signal } = stack;
  const processes = stack.use(
    createPartProcesses({ parts, databaseUrl, logger, signal, demoNode: demo?.node, niceness: nicenessOf(configured) }),
  );
  // The process of the indexer starts while this process loads the graph.
  processes.start(config);
  if (indexes) for (const line of await outdatedRowsOf(config, placement, logger)) logger.warn(line);
  const options = { config, databaseUrl, logger, signal, signatureServiceUrl: processes.signatureServiceUrl };
  const api = stack.use(await (config.api.processes > 1 ? startApiProcesses(options) : startApi(options)));
  await processes.begin();
  const { indexer } = processes;
  if (demo && indexer) await untilReady(() => isFollowing(indexer, config), indexer, signal);
  printLine(`Moraine answers on ${serverUrl(config.host, api.port)}  (GraphQL: /graphql, REST: /v1/chains)`);
  if (api.metricsPort !== null) printLine(`Metrics paths answer on ${serverUrl(config.host, api.metricsPort)}`);
  // The demo has the settings of its recording.
  if (demo) return;
  const noted = stack.use(noteProcess(dataDirectory, logger));
  let present = config;
  const reload = async (): Promise<Reloaded> => {
    const { config: next, needStart } = await reloadedConfig(present, flags, { indexes, placement, logger });
    await api.replace(next);
    present = next;
    try {
      await processes.replace(next);
    } catch (error) {
      const what = "the API has read the settings again, but the processes beside it could not be started by them";
      const failure = `${what}: ${messageOf(error)}`;
      logger.error({ err: error }, failure);
      return { failure, needStart };
    }
    logger.info("the settings were read again");
    return { failure: null, needStart };
  };
  const refused = (error: unknown): Reloaded => {
    if (signal.aborted) return { failure: "the service stops", needStart: [] };
    const expected = expectedMessage(error);
    const [fields, reason] = typeof expected === "string" ? [{}, expected] : [{ err: error }, messageOf(error)];
    const failure = `the settings were read and cannot be used; the earlier ones stay: ${reason}`;
    logger.error(fields, failure);
    return { failure, needStart: [] };
  };
  stack.onReload(async () => {
    const beganAtMs = Date.now();
    noted.finished({ beganAtMs, ...(await reload().catch(refused)) });
  });
}

/** True if all chains follow their heads. */
function isFollowing(indexer: IndexerProcesses, { evmChains, primaryNetworks }: Config): boolean {
  const chains = evmChains.length + 3 * primaryNetworks.length;
  return indexer.states()?.filter((state) => state === "FOLLOWING").length === chains;
}

/** Resolves when the demo is ready, when another process indexes its chains, or when the time is up. */
async function untilReady(isReady: () => boolean, indexer: IndexerProcesses, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now();
  let writingAt = startedAt;
  const isStandby = () => {
    // The time before the process has started does not count.
    if (indexer.states()?.length !== 0) writingAt = performance.now();
    return performance.now() - writingAt > STANDBY_AFTER_MS;
  };
  const isLate = () => performance.now() - startedAt > DEMO_PATIENCE_MS;
  while (!isReady() && !isStandby() && !isLate()) await sleep(50, null, { signal });
}

/** Settings of the embedded server that follow from those of Moraine. */
function embeddedSettings(config: Config) {
  return {
    max_connections: String(embeddedConnections(allSessions(config, processesOf(config)))),
    max_locks_per_transaction: String(embeddedLocks(config)),
  };
}
