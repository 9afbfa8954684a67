import { request } from "undici";
import { ConfigError, loadConfig } from "./core/config.ts";
import type { Config } from "./core/config-schema.ts";
import { openDatabase } from "./core/database.ts";
import { databaseRefusal } from "./core/database-refusal.ts";
import { startEmbeddedPostgres } from "./core/embedded-postgres/embedded-postgres.ts";
import { createLogger } from "./core/logger.ts";
import { migrate } from "./core/migrate.ts";
import { createLocalCounters } from "./core/rate-counters.ts";
import { isDemo, startDemo } from "./demo.ts";
import { parseExportArguments, USAGE } from "./exporter/command/arguments.ts";
import { ExportFailed } from "./exporter/command/graph.ts";
import { runExport } from "./exporter/command/run.ts";
import { startExporter } from "./exporter/exporter.ts";
import { type Moraine, startMoraine } from "./moraine.ts";

const INTERRUPTED = 130;
const PROBE_TIMEOUT_MS = 2_000;

/** `npm run export`: exports transactions into a file, through a running service or by itself. */
async function main(args: readonly string[]): Promise<void> {
  if (args.includes("--help") || args.includes("-h")) return console.log(USAGE);
  const parsed = parseExportArguments(args);
  if (parsed.url !== null) return console.log(await runExport(parsed.url, parsed));
  const config = loadConfig(process.env);
  const running = await runningService(config);
  if (running !== null) return console.log(await runExport(running, parsed));
  await using service = await startService(config);
  const interrupted = new Promise<null>((done) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => done(null));
  });
  const text = await Promise.race([runExport(service.url, parsed), interrupted]);
  if (text !== null) return console.log(text);
  console.error("interrupted: run the command again to continue");
  process.exitCode = INTERRUPTED;
}

/** URL of the service that the settings describe; null if it does not answer. */
async function runningService({ host, port }: Config): Promise<string | null> {
  if (port === 0) return null;
  const url = `http://${host}:${port}`;
  try {
    const signal = AbortSignal.timeout(PROBE_TIMEOUT_MS);
    const response = await request(`${url}/graphql?query={__typename}`, { signal });
    await response.body.dump();
    return response.statusCode === 200 ? url : null;
  } catch {
    return null;
  }
}

interface Service extends AsyncDisposable {
  readonly url: string;
}

/** Serves the graph and runs export jobs in this process, on a free port that only this machine can reach. */
async function startService(configured: Config): Promise<Service> {
  const resources: AsyncDisposable[] = [];
  const use = <Resource extends AsyncDisposable>(resource: Resource): Resource => {
    resources.push(resource);
    return resource;
  };
  const service = await startParts(configured, use).catch((error: unknown) => error as Error);
  const dispose = async () => {
    for (const resource of resources.reverse()) await resource[Symbol.asyncDispose]();
  };
  if (service instanceof Error) {
    await dispose();
    throw service;
  }
  return { url: `http://127.0.0.1:${service.port}`, [Symbol.asyncDispose]: dispose };
}

type Use = <Resource extends AsyncDisposable>(resource: Resource) => Resource;

async function startParts(configured: Config, use: Use): Promise<Moraine> {
  const embedded = configured.databaseUrl ? null : use(await startEmbeddedPostgres(configured.dataDirectory));
  const databaseUrl = configured.databaseUrl ?? embedded?.url ?? "";
  await migrate(databaseUrl);
  const demo = isDemo(configured) ? await startDemo(configured, { joins: true }) : null;
  if (demo) use(demo.node);
  const { metricsPort: _none, ...base } = demo?.config ?? configured;
  const { publicUrl: _ofAnotherPort, ...exports } = base.exports;
  const config = { ...base, exports, host: "127.0.0.1", port: 0 };
  const logger = createLogger("error");
  const database = use(openDatabase(databaseUrl, config.databasePoolSize, logger));
  const moraine = await startMoraine({ config, database, counters: createLocalCounters(), logger, idleGraceMs: 0 });
  use(moraine);
  use(startExporter({ config, databaseUrl, logger }));
  return moraine;
}

await main(process.argv.slice(2)).then(
  () => process.exit(),
  (error: unknown) => {
    const isExpected = error instanceof ConfigError || error instanceof ExportFailed;
    console.error(isExpected ? error.message : (databaseRefusal(error) ?? error));
    process.exit(1);
  },
);
