import { ConfigError, loadConfig } from "../core/config.ts";
import { createHttpGraphClient } from "../core/http-graph-client.ts";
import { createLogger } from "../core/logger.ts";
import { runUntilSignal } from "../core/process.ts";
import { createLocalCounters } from "../core/rate-counters.ts";
import { startServer } from "../core/server.ts";
import { startSharedCounters } from "../core/shared-rate-counters.ts";
import { createListeners } from "./listeners.ts";

/** REST alone, over the gateway at `gatewayUrl`. With a `databaseUrl` its rate limits are shared with other replicas. */
await runUntilSignal(async (stack) => {
  const config = loadConfig(process.env);
  const { host, databaseUrl, gatewayUrl } = config;
  if (!gatewayUrl) throw new ConfigError("setting gatewayUrl (environment variable GATEWAY_URL) must be set");
  const logger = createLogger(config.logLevel);
  const graph = stack.use(await createHttpGraphClient(gatewayUrl, logger));
  const counters = databaseUrl ? stack.use(startSharedCounters({ databaseUrl, logger })) : createLocalCounters();
  for (const { port, handler } of createListeners({ graph, config, logger, counters }, config)) {
    const server = stack.use(await startServer({ host, port, handler }));
    console.log(`REST: http://${host}:${server.port}`);
  }
});
