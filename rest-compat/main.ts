import { ConfigError, loadConfig } from "../core/config.ts";
import { createHttpGraphClient } from "../core/http-graph-client.ts";
import { createLogger } from "../core/logger.ts";
import { runUntilSignal } from "../core/process.ts";
import { createLocalCounters } from "../core/rate-counters.ts";
import { startServer } from "../core/server.ts";
import { startSharedCounters } from "../core/shared-rate-counters.ts";
import { createNodeInterface } from "./node/interface.ts";
import { answerClientError } from "./rest/malformed-request.ts";
import { createRest } from "./rest-router.ts";
import { nodePathsFirst } from "./rest-server.ts";
import type { Base } from "./routes.ts";

/** REST alone, over the gateway at `gatewayUrl`. With a `databaseUrl` its rate limits are shared with other replicas. */
await runUntilSignal(async (stack) => {
  const config = loadConfig(process.env);
  const { host, port, metricsPort, databaseUrl, gatewayUrl } = config;
  if (!gatewayUrl)
    throw new ConfigError("setting gatewayUrl (environment variable GATEWAY_URL) must be set for REST alone");
  const logger = createLogger(config.logLevel);
  const graph = stack.use(await createHttpGraphClient(gatewayUrl, logger));
  const counters = databaseUrl ? stack.use(startSharedCounters({ databaseUrl, logger })) : createLocalCounters();
  const nodePaths = createNodeInterface({ graph, config, logger, counters });
  const listen = async (at: number, bases: readonly Base[]) => {
    const rest = createRest({ graph, config, logger, counters, bases });
    const isMain = bases.includes("data");
    const handlers = isMain ? nodePathsFirst(nodePaths, rest) : { handler: rest, clientError: answerClientError };
    const server = stack.use(await startServer({ host, port: at, ...handlers }));
    console.log(`REST (${bases.join(", ")}) answers on http://${host}:${server.port}`);
  };
  await listen(port, metricsPort === undefined ? ["data", "metrics"] : ["data"]);
  if (metricsPort !== undefined) await listen(metricsPort, ["metrics"]);
});
