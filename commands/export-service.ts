import pg from "pg";
import { ConfigError } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { requireAllMigrated, withUsableDatabases } from "../core/database/cells.ts";
import { openDatabase } from "../core/database/open-database.ts";
import { placementOf } from "../core/database/placement.ts";
import { withSession } from "../core/database/postgres/connect.ts";
import { usableDatabase } from "../core/database/postgres/usable-database.ts";
import {
  type EmbeddedPostgres,
  hasCluster,
  startEmbeddedPostgres,
} from "../core/embedded-postgres/embedded-postgres.ts";
import { serverUrl } from "../core/http/server-url.ts";
import { createLocalCounters } from "../core/limits/rate-counters.ts";
import { createLogger } from "../core/observability/logger.ts";
import { startExporter } from "../exporter/exporter.ts";
import { joinDemo } from "./demo.ts";
import { disposeInReverse } from "./dispose-in-reverse.ts";
import { type Moraine, startMoraine } from "./moraine.ts";

/** The service of a command that runs an export by itself. */
export interface OwnService extends AsyncDisposable {
  readonly url: string;
}

/**
 * Serves the graph and runs export jobs in this process, on a free port that only this machine can reach. Nothing is indexed
 * meanwhile. Throws `ConfigError`, before anything is created, if the database has no indexed blocks. Aborting the signal
 * before the promise settles rejects it.
 */
export async function startOwnService(configured: Config, signal: AbortSignal): Promise<OwnService> {
  const resources: AsyncDisposable[] = [];
  const use: Use = (resource) => {
    resources.push(resource);
    signal.throwIfAborted();
    return resource;
  };
  const dispose = () => disposeInReverse(resources);
  try {
    const { port } = await startParts(configured, use, signal);
    return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** Registers a resource, which is closed in any case. Throws if the user has interrupted the command. */
type Use = <Resource extends AsyncDisposable>(resource: Resource) => Resource;

async function startParts(configured: Config, use: Use, signal: AbortSignal): Promise<Moraine> {
  const databaseUrl = configured.databaseUrl
    ? await usableDatabase(configured.databaseUrl)
    : use(await startEmbedded(configured, signal)).url;
  const placed = await withUsableDatabases(configured);
  const placement = placementOf(placed, databaseUrl);
  const haveBlocks = await Promise.all(placement.all.map(hasIndexedBlocks));
  if (!haveBlocks.includes(true)) throw nothingIndexed(configured);
  await requireAllMigrated(placement);
  const demo = use(await joinDemo(placed));
  const { metricsPort: _none, ...base } = demo.config;
  const { publicUrl: _ofAnotherPort, ...exports } = base.exports;
  const config = { ...base, exports, host: "127.0.0.1", port: 0 };
  // The command prints the reason of a failure itself.
  const logger = createLogger(process.env["LOG_LEVEL"] ? config.logLevel : "silent");
  const database = use(openDatabase(databaseUrl, config.databasePoolSize, logger, { placement }));
  const moraine = use(
    await startMoraine({
      config,
      database,
      counters: createLocalCounters(),
      logger,
      idleGraceMs: 0,
      // The command sends few operations, one after the other.
      prepare: async () => {},
    }),
  );
  use(startExporter({ config, databaseUrl, logger }));
  return moraine;
}

function startEmbedded(config: Config, signal: AbortSignal): Promise<EmbeddedPostgres> {
  if (!hasCluster(config.dataDirectory)) throw nothingIndexed(config);
  return startEmbeddedPostgres(config.dataDirectory, signal);
}

const UNDEFINED_TABLE = "42P01";
const UNDEFINED_COLUMN = "42703";
const HAS_BLOCKS = `SELECT EXISTS (SELECT FROM chain_heads WHERE block_number >= 0)
  OR EXISTS (SELECT FROM primary_heads WHERE raw_seq >= 0) AS "hasBlocks"`;

async function hasIndexedBlocks(url: string): Promise<boolean> {
  try {
    const { rows } = await withSession(url, (session) => session.query<{ readonly hasBlocks: boolean }>(HAS_BLOCKS));
    return rows[0]?.hasBlocks === true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    if (error.code === UNDEFINED_TABLE) return false;
    // Another version has indexed it, which `requireMigrated` refuses.
    if (error.code === UNDEFINED_COLUMN) return true;
    throw error;
  }
}

function nothingIndexed({ host, port, databaseUrl, dataDirectory }: Config): ConfigError {
  const service = port === 0 ? "No service runs" : `No service answers at ${serverUrl(host, port)}`;
  const place = databaseUrl ? "the database" : `the data directory ${dataDirectory}`;
  return new ConfigError(
    `${service}, and ${place} has no indexed blocks: run \`npm start\` first, or name a running service with --url`,
  );
}
