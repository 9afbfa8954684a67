import { ConfigError, loadConfig } from "../core/config/config.ts";
import { untilUsable } from "../core/database/postgres/usable-database.ts";
import { drainMs, publicServer, startServer } from "../core/http/server.ts";
import { serverUrl } from "../core/http/server-url.ts";
import { createApiKeys } from "../core/limits/access/api-keys.ts";
import { loadInternalToken } from "../core/limits/access/internal-token.ts";
import { startApiKeys } from "../core/limits/access/stored-keys.ts";
import { createAdmission } from "../core/limits/admission/admission.ts";
import { createLocalCounters } from "../core/limits/rate-counters.ts";
import { startSharedCounters } from "../core/limits/shared-rate-counters.ts";
import { createLogger } from "../core/observability/logger.ts";
import { runUntilSignal } from "../core/processes/process.ts";
import { startObservability } from "../core/processes/start.ts";
import { createHttpGraphClient } from "./graph/http-graph-client.ts";
import { createRestServer } from "./rest-server.ts";
import type { Base } from "./routes.ts";

/**
 * The REST and JSON-RPC paths in a process of their own, over the gateway at `gatewayUrl`. Replicas share rate limits if
 * `databaseUrl` is set. A gateway with the same database then does not charge callers again.
 */
await runUntilSignal(async (stack) => {
  const config = loadConfig(process.env, process.argv.slice(2));
  stack.drainWithin(drainMs(config.shutdown));
  const { host, port, metricsPort, gatewayUrl: url } = config;
  const [keyHeader = ""] = config.keyHeaders;
  if (!url)
    throw new ConfigError("setting gatewayUrl (environment variable GATEWAY_URL) must be set to run REST alone");
  const logger = createLogger(config.logLevel);
  stack.logEnd(logger);
  stack.use(await startObservability(config, "rest", logger));
  const databaseUrl = config.databaseUrl && (await untilUsable(config.databaseUrl, logger, stack.signal));
  const internalToken = databaseUrl ? await loadInternalToken(databaseUrl, logger, stack.signal) : undefined;
  const graph = stack.use(await createHttpGraphClient({ url, keyHeader, internalToken, logger }, stack.signal));
  const apiKeys = databaseUrl ? stack.use(await startApiKeys(config, { databaseUrl, logger })) : createApiKeys(config);
  const counters = databaseUrl ? stack.use(startSharedCounters({ databaseUrl, logger })) : createLocalCounters();
  const admission = createAdmission(config, logger);
  const listen = async (at: number, bases: readonly Base[], portSetting = "port") => {
    const rest = createRestServer({ graph, config, logger, counters, apiKeys, admission, bases, signal: stack.signal });
    const server = stack.use(
      await startServer({
        ...publicServer(config),
        port: at,
        portSetting,
        signal: stack.signal,
        ...rest,
      }),
    );
    console.log(`REST (${bases.join(", ")}) answers on ${serverUrl(host, server.port)}`);
  };
  await listen(port, metricsPort === undefined ? ["data", "metrics"] : ["data"]);
  if (metricsPort !== undefined) await listen(metricsPort, ["metrics"], "metricsPort");
});
