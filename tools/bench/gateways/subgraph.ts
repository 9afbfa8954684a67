import { type Config, configSchema } from "../../../core/config/config-schema.ts";
import { openDatabase } from "../../../core/database/open-database.ts";
import { privateServer, startServer } from "../../../core/http/server.ts";
import { createLogger } from "../../../core/observability/logger.ts";
import { createSubgraph as createEvmSubgraph } from "../../../subgraphs/evm/subgraph.ts";
import { createSubgraph as createMetricsSubgraph } from "../../../subgraphs/metrics/subgraph.ts";
import { createSubgraph as createPrimaryNetworkSubgraph } from "../../../subgraphs/primary-network/subgraph.ts";
import { createSubgraphServer } from "../../../subgraphs/shared/server/server.ts";
import { parentInput, serveParent } from "../child.ts";

const CREATE = {
  evm: createEvmSubgraph,
  metrics: createMetricsSubgraph,
  "primary-network": createPrimaryNetworkSubgraph,
};

/** The value that the parent passes. */
export interface SubgraphInput {
  readonly name: keyof typeof CREATE;
  readonly url: string;
  readonly evmChains: Config["evmChains"];
  readonly primaryNetworks: readonly object[];
}

const { name, url: databaseUrl, evmChains, primaryNetworks } = parentInput() as SubgraphInput;
const logger = createLogger("error");
const config = configSchema.parse({ port: 0, evmChains, primaryNetworks });
const database = openDatabase(databaseUrl, config.databasePoolSize, logger);
const subgraph = await CREATE[name]({ config, database, logger });
const { handler, upgrade } = await createSubgraphServer(subgraph, logger);
serveParent((await startServer({ ...privateServer(config), port: 0, handler, upgrade })).port);
