import type { Config } from "../../core/config/config-schema.ts";
import { changedSettings } from "../../core/config/reloadable.ts";
import { openDatabase } from "../../core/database/open-database.ts";
import { placementOf } from "../../core/database/placement.ts";
import { startApiKeys } from "../../core/limits/access/stored-keys.ts";
import { startSharedCounters } from "../../core/limits/shared-rate-counters.ts";
import type { Logger } from "../../core/observability/logger.ts";
import type { ServiceUrl } from "../../signatures/protocol/client.ts";
import { disposeInReverse } from "../dispose-in-reverse.ts";
import { contentOfFiles } from "../reload.ts";
import { signingOf } from "./signing.ts";

export interface ApiOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** URL of the signature service that runs beside the API. Null: none runs there. */
  readonly signatureServiceUrl: ServiceUrl | null;
  /** The API starts to shut down when this signal is aborted. */
  readonly signal: AbortSignal;
}

/** An API that answers, in one process or several. Disposing it answers the last requests. */
export interface RunningApi extends AsyncDisposable {
  readonly port: number;
  /** Null when the metrics paths are on the same port. */
  readonly metricsPort: number | null;
  /**
   * Answers all further requests by other settings. If only those of the graph have changed, subscriptions go on; otherwise they end, so
   * that clients start them again. Rejects if the settings cannot be used; then nothing has changed.
   */
  replace(config: Config): Promise<void>;
}

/** Loads what the API consists of, which takes a second. It is loaded once in a process. */
export function loadParts() {
  const graph = import("../../subgraphs/load.ts").then(({ loadSubgraphs }) => loadSubgraphs());
  return Promise.all([import("../moraine.ts"), graph]);
}

/** Runs the API in this process. If it cannot start, rejects when everything that was opened is closed again. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { config, databaseUrl, logger, signatureServiceUrl, signal } = options;
  const [{ startMoraine }] = await loadParts();
  signal.throwIfAborted();
  const database = openDatabase(databaseUrl, config.databasePoolSize, logger, {
    placement: placementOf(config, databaseUrl),
    readUrls: config.databaseReadUrls,
  });
  const counters = startSharedCounters({ databaseUrl, logger });
  const opened: AsyncDisposable[] = [database, counters];
  let apiKeys: Awaited<ReturnType<typeof startApiKeys>>;
  const depsOf = (present: Config) => ({
    config: present,
    database,
    counters,
    apiKeys,
    logger,
    ...signingOf(present, signatureServiceUrl),
  });
  try {
    apiKeys = await startApiKeys(config, { databaseUrl, logger });
    opened.push({ [Symbol.asyncDispose]: () => apiKeys[Symbol.asyncDispose]() });
    const moraine = await startMoraine({ ...depsOf(config), signal });
    opened.push(moraine);
    let present = config;
    let files = contentOfFiles(config);
    return {
      port: moraine.port,
      metricsPort: moraine.metricsPort,
      async replace(next) {
        const nextFiles = contentOfFiles(next);
        if (files === nextFiles && changedSettings(present, next).every((name) => name === "graph")) {
          await moraine.reloadGraph(next.graph);
          present = next;
          return;
        }
        const earlierKeys = apiKeys;
        apiKeys = await startApiKeys(next, { databaseUrl, logger });
        try {
          await moraine.replace(depsOf(next));
        } catch (error) {
          await apiKeys[Symbol.asyncDispose]();
          apiKeys = earlierKeys;
          throw error;
        }
        present = next;
        files = nextFiles;
        logger.level = next.logLevel;
        await earlierKeys[Symbol.asyncDispose]();
      },
      [Symbol.asyncDispose]: () => disposeInReverse(opened),
    };
  } catch (error) {
    await disposeInReverse(opened).catch(() => {});
    throw error;
  }
}
