import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { startDemo } from "../../commands/demo.ts";
import { startMoraine } from "../../commands/moraine.ts";
import { configSchema } from "../../core/config/config-schema.ts";
import { migrate } from "../../core/database/migrate.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { startEmbeddedPostgres } from "../../core/embedded-postgres/embedded-postgres.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";

export interface DemoStack extends AsyncDisposable {
  readonly url: string;
}

/** Starts the whole API over the bundled recording in this process, on a free port, and waits until everything is indexed. */
export async function startDemoStack(): Promise<DemoStack> {
  const resources: AsyncDisposable[] = [];
  const use = <Resource extends AsyncDisposable>(resource: Resource): Resource => {
    resources.push(resource);
    return resource;
  };
  const dispose = async () => {
    for (const resource of resources.splice(0).reverse()) await resource[Symbol.asyncDispose]();
  };
  try {
    return { url: await startParts(use), [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function startParts(use: <Resource extends AsyncDisposable>(resource: Resource) => Resource): Promise<string> {
  const dataDirectory = mkdtempSync(join(tmpdir(), "moraine-attack-"));
  use({ [Symbol.asyncDispose]: async () => rmSync(dataDirectory, { recursive: true, force: true }) });
  const configured = configSchema.parse({ dataDirectory, demo: "full", port: 0, logLevel: "fatal" });
  const { url: databaseUrl } = use(await startEmbeddedPostgres(dataDirectory));
  await migrate(databaseUrl);
  const { node, config } = await startDemo(configured);
  use(node);
  const logger = createLogger(config.logLevel);
  const database = use(openDatabase(databaseUrl, config.databasePoolSize, logger));
  const indexer = use(startIndexer(config, databaseUrl, logger));
  const deps = { config, database, counters: createLocalCounters(), logger, idleGraceMs: 0 };
  const moraine = use(await startMoraine(deps));
  const chains = config.evmChains.length + 3 * config.primaryNetworks.length;
  while (indexer.progress.filter(({ current }) => current.state === "FOLLOWING").length < chains) await sleep(50);
  return `http://127.0.0.1:${moraine.port}`;
}
