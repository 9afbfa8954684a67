import type { AddressInfo } from "node:net";
import { startApiProcesses } from "../../commands/api/api-processes.ts";
import { startMoraine } from "../../commands/moraine.ts";
import { configSchema } from "../../core/config/config-schema.ts";
import { type Databases, loadSecret } from "../../core/database/database.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { createPageTokens } from "../../core/graph/page.ts";
import { createLocalCounters } from "../../core/limits/rate-counters.ts";
import { createLogger } from "../../core/observability/logger.ts";
import { startIndexer } from "../../indexer/indexer.ts";
import { startIndexerProcesses } from "../../indexer/process/indexer-processes.ts";
import { nicenessOf } from "../../indexer/process/niceness.ts";
import { createNetworks } from "../../subgraphs/primary-network/networks/store.ts";
import { createObservations } from "../../subgraphs/primary-network/validators/observations.ts";
import { createStakeTotals } from "../../subgraphs/primary-network/validators/stake-totals.ts";
import { parentInput, serveParent } from "./child.ts";
import { addPrimaryHandlers } from "./hand-written/primary.ts";
import { createHandWritten } from "./hand-written/server.ts";
import { runningProcesses } from "./processes.ts";

/** Where a server runs an indexer. */
export type IndexerPlace = "same process" | "own process";

/** The value that the parent passes to a server. */
export interface ServerInput {
  readonly kind: "moraine" | "hand-written";
  readonly url: string;
  /** Entries as in the configuration file. */
  readonly evmChains: readonly object[];
  /** The same. Default: none. */
  readonly primaryNetworks?: readonly object[];
  /** Processes of Moraine's API on the same port. Default: this one. */
  readonly processes?: number;
  /** Chains and `indexing`, as in the configuration file: an indexer writes them from the question `startIndexing` on. Default: none. */
  readonly indexed?: { readonly chains: readonly object[]; readonly place: IndexerPlace; readonly indexing?: object };
}

const input = parentInput() as ServerInput;
const { kind, url, primaryNetworks, processes = 1, indexed } = input;
const logger = createLogger("error");
const config = configSchema.parse({
  port: 0,
  api: { processes },
  evmChains: input.evmChains,
  primaryNetworks,
  // All requests come from one address.
  connectionsPerAddress: 0,
  subscriptions: { connectionsPerCaller: 0 },
  computeUnitsPerMinute: 0,
  computeUnitsPerDay: 0,
});
const database = openDatabase(url, config.databasePoolSize, logger);
serveParent(await (kind === "moraine" ? servedByMoraine() : servedByHand(database)), {
  startIndexing,
  inUse,
  ...(processes > 1 && { cpu: treeCpuMs }),
});

/** Runs the indexer until this process ends. */
function startIndexing(): number {
  if (!indexed) return 0;
  const indexing = configSchema.parse({ evmChains: indexed.chains, indexing: indexed.indexing ?? {} });
  if (indexed.place === "same process") startIndexer(indexing, url, logger);
  else startIndexerProcesses({ config: indexing, databaseUrl: url, logger, niceness: nicenessOf(indexing) }).begin();
  return 0;
}

/** What finalizers of the first collection release is collected by the second. */
const COLLECTIONS = 2;

/** Memory that is left after a garbage collection, in bytes. */
function inUse(): number {
  for (let i = 0; i < COLLECTIONS; i++) globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Processor time of this process and of those of the API, in milliseconds. */
function treeCpuMs(): number {
  const own = runningProcesses().filter(({ pid, parent }) => pid === process.pid || parent === process.pid);
  return own.reduce((sum, { ownMs }) => sum + ownMs, 0);
}

async function servedByMoraine(): Promise<number> {
  if (processes > 1) {
    const { signal } = new AbortController();
    const api = await startApiProcesses({ config, databaseUrl: url, logger, signatureServiceUrl: null, signal });
    return api.port;
  }
  return (await startMoraine({ config, database, counters: createLocalCounters(), logger })).port;
}

async function servedByHand(database: Databases): Promise<number> {
  const { pool } = database;
  const nowSeconds = () => Math.floor(Date.now() / 1000);
  const tokens = createPageTokens(await loadSecret(pool, "page-tokens"), nowSeconds);
  const app = createHandWritten({ database, tokens, evmChains: config.evmChains });
  addPrimaryHandlers(app, {
    pool,
    tokens,
    networks: createNetworks(database.primary, config),
    stakeTotals: createStakeTotals(database.primary, nowSeconds),
    observations: createObservations({ primaryNetworks: config.primaryNetworks, logger }),
  });
  return new Promise((listening) => {
    const server = app.listen(0, config.host, () => listening((server.address() as AddressInfo).port));
  });
}
