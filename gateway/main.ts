import { ConfigError, loadConfig } from "../core/config.ts";
import type { Config } from "../core/config-schema.ts";
import { createLogger } from "../core/logger.ts";
import { runUntilSignal } from "../core/process.ts";
import { startServer } from "../core/server.ts";
import { createGraph } from "./graph.ts";
import { GRAPHQL_PATH } from "./runtime.ts";
import { committedSupergraph } from "./supergraph.ts";

/** Runs the gateway in a process of its own, on `/graphql`. Its subgraphs run in other processes. */
await runUntilSignal(async (stack) => {
  const config = loadConfig(process.env);
  const logger = createLogger(config.logLevel);
  const subgraphs = [
    { name: "evm", url: urlOf("evmSubgraphUrl", config) },
    { name: "primary-network", url: urlOf("primaryNetworkSubgraphUrl", config) },
    { name: "node", url: urlOf("nodeSubgraphUrl", config) },
    { name: "operations", url: urlOf("operationsSubgraphUrl", config) },
    { name: "metrics", url: urlOf("metricsSubgraphUrl", config) },
    { name: "signatures", url: urlOf("signaturesSubgraphUrl", config) },
  ];
  const graph = stack.use(createGraph({ supergraph: committedSupergraph(), subgraphs, logger, config }));
  const { host, port, connectionsPerAddress } = config;
  const server = stack.use(
    await startServer({ host, port, connectionsPerAddress, handler: graph.handle, upgrade: graph.upgrade }),
  );
  await graph.warmUp();
  console.log(`GraphQL on http://${host}:${server.port}${GRAPHQL_PATH}`);
});

type UrlSetting =
  | "evmSubgraphUrl"
  | "primaryNetworkSubgraphUrl"
  | "nodeSubgraphUrl"
  | "operationsSubgraphUrl"
  | "metricsSubgraphUrl"
  | "signaturesSubgraphUrl";

function urlOf(setting: UrlSetting, config: Config): string {
  const url = config[setting];
  if (url) return url;
  throw new ConfigError(
    `setting ${setting} is missing: a gateway in a process of its own needs the URL of each subgraph`,
  );
}
