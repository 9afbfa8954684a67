import { ConfigError, loadConfig } from "../core/config/config.ts";
import type { Config } from "../core/config/config-schema.ts";
import { SUBGRAPHS, type SubgraphSetting } from "../core/config/subgraphs.ts";
import { untilUsable } from "../core/database/postgres/usable-database.ts";
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
import { createGraph } from "./graph.ts";
import { committedSupergraph } from "./supergraph.ts";

/**
 * Runs the gateway in a process of its own, on `/graphql`. Its subgraphs run in other processes. Needs `databaseUrl` only for the keys
 * of `moraine keys`, for rate limits that replicas share, and to recognise REST in a process of its own.
 */
await runUntilSignal(async (stack) => {
  const config = loadConfig(process.env, process.argv.slice(2));
  stack.drainWithin(drainMs(config.shutdown));
  const logger = createLogger(config.logLevel);
  stack.logEnd(logger);
  stack.use(await startObservability(config, "gateway", logger));
  const subgraphs = SUBGRAPHS.map(({ name, setting }) => ({ name, url: urlOf(setting, config) }));
  const { host, port } = config;
  const databaseUrl = config.databaseUrl && (await untilUsable(config.databaseUrl, logger, stack.signal));
  const internalToken = databaseUrl ? await loadInternalToken(databaseUrl, logger, stack.signal) : undefined;
  const apiKeys = databaseUrl ? stack.use(await startApiKeys(config, { databaseUrl, logger })) : createApiKeys(config);
  const counters = databaseUrl ? stack.use(startSharedCounters({ databaseUrl, logger })) : createLocalCounters();
  const supergraph = committedSupergraph();
  const graph = stack.use(createGraph({ supergraph, subgraphs, logger, config, apiKeys, counters, internalToken }));
  // Before the port is opened, so that this work delays no request.
  await graph.warmUp();
  const server = stack.use(
    await startServer({
      ...publicServer(config),
      port,
      ...createGatewayServer(graph),
    }),
  );
  console.log(`GraphQL on ${serverUrl(host, server.port)}${GRAPHQL_PATH}`);
});

function urlOf(setting: SubgraphSetting, config: Config): string {
  const url = config[setting];
  if (url) return url;
  throw new ConfigError(
    `setting ${setting} is missing: a gateway in a process of its own needs the URL of each subgraph`,
  );
}
