import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { SUBGRAPHS } from "../core/config/subgraphs.ts";
import { untilUsable } from "../core/database/postgres/usable-database.ts";
import { messageOf } from "../core/errors/errors.ts";
import { GRAPHQL_PATH } from "../core/http/graph-path.ts";
import { drainMs, publicServer, startServer } from "../core/http/server.ts";
import { serverUrl } from "../core/http/server-url.ts";
import { createApiKeys } from "../core/limits/access/api-keys.ts";
import { loadInternalToken } from "../core/limits/access/internal-token.ts";
import { startApiKeys } from "../core/limits/access/stored-keys.ts";
import { createLocalCounters } from "../core/limits/rate-counters.ts";
import { startSharedCounters } from "../core/limits/shared-rate-counters.ts";
import { createLogger } from "../core/observability/logger.ts";
import { runUntilSignal } from "../core/processes/process.ts";
import { startObservability } from "../core/processes/start.ts";
import { createGatewayServer } from "./gateway-server.ts";
import { openGraph } from "./open-graph.ts";
import type { RemoteSubgraph } from "./plan/subgraph.ts";
import { committedSupergraph } from "./supergraph.ts";

export interface GatewayOptions {
  /** True if the gateway needs the URLs of all of Moraine's own subgraphs, unless the settings name a supergraph. */
  readonly needsOwn: boolean;
}

/**
 * Runs the gateway in a process of its own, on `/graphql`. Its subgraphs run in other processes. Needs `databaseUrl` only for the keys
 * of `moraine keys`, for rate limits that replicas share, and to recognise REST in a process of its own. On SIGHUP, it reads the setting `graph`
 * and the supergraph again.
 */
export function runGateway(flags: readonly string[], { needsOwn }: GatewayOptions): Promise<void> {
  return runUntilSignal(async (stack) => {
    const config = loadConfig(process.env, flags);
    stack.drainWithin(drainMs(config.shutdown));
    const logger = createLogger(config.logLevel);
    stack.logEnd(logger);
    stack.use(await startObservability(config, "gateway", logger));
    const own = ownSubgraphs(config, needsOwn);
    const { host, port } = config;
    const { signal } = stack;
    const databaseUrl = config.databaseUrl && (await untilUsable(config.databaseUrl, logger, signal));
    const internalToken = databaseUrl ? await loadInternalToken(databaseUrl, logger, signal) : undefined;
    const apiKeys = databaseUrl
      ? stack.use(await startApiKeys(config, { databaseUrl, logger }))
      : createApiKeys(config);
    const counters = databaseUrl ? stack.use(startSharedCounters({ databaseUrl, logger })) : createLocalCounters();
    const ownSupergraph = own.length === SUBGRAPHS.length ? committedSupergraph() : null;
    const opened = stack.use(
      await openGraph({ own, ownSupergraph, signal, logger, config, apiKeys, counters, internalToken }),
    );
    // Before the port is opened, so that this work delays no request.
    await opened.graph.warmUp();
    const server = stack.use(await startServer({ ...publicServer(config), port, ...createGatewayServer(opened) }));
    console.log(`GraphQL on ${serverUrl(host, server.port)}${GRAPHQL_PATH}`);
    opened.startPolling();
    stack.onReload(async () => {
      try {
        await opened.reload(loadConfig(process.env, flags).graph);
        logger.info("the setting graph and the supergraph were read again");
      } catch (error) {
        if (!signal.aborted) logger.error(`the earlier supergraph stays: ${messageOf(error)}`);
      }
    });
  });
}

/** Collecting signatures may take twice 55 seconds, and fails with a reason of its own. */
const SIGNATURES_TIMEOUT_MS = 120_000;

function ownSubgraphs(config: Config, needsAll: boolean): RemoteSubgraph[] {
  return SUBGRAPHS.flatMap(({ name, setting }) => {
    const url = config[setting];
    if (url) return [{ name, url, timeoutMs: name === "signatures" ? SIGNATURES_TIMEOUT_MS : undefined }];
    if (!needsAll || config.graph.supergraph !== undefined) return [];
    throw new ConfigError(
      `setting ${setting} is missing: a gateway in a process of its own needs the URL of each subgraph`,
    );
  });
}
