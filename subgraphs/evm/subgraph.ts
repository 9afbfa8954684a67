import type { GraphQLSchema } from "graphql";
import { createChains } from "../../core/chains.ts";
import type { Config } from "../../core/config-schema.ts";
import { type Database, loadSecret } from "../../core/database.ts";
import type { RequestInfo } from "../../core/graph-client.ts";
import type { Logger } from "../../core/logger.ts";
import { createPageTokens } from "../../core/page.ts";
import { createBlockFeed } from "./blocks/feed.ts";
import { createBlockNotices } from "./blocks/notices.ts";
import { createBlockStore } from "./blocks/store.ts";
import { createChainStore } from "./chains/store.ts";
import { createContext, type EvmContext } from "./context.ts";
import { createErc20TokenStore } from "./erc20-tokens/store.ts";
import { createErc20TransferStore } from "./erc20-transfers/store.ts";
import { createLogStore } from "./logs/store.ts";
import { schema } from "./schema.ts";
import { createTransactionStore } from "./transactions/store.ts";

/** The evm subgraph, to run in a gateway's process or behind a server of its own. Disposing it ends its subscriptions. */
export interface EvmSubgraph extends AsyncDisposable {
  readonly name: "evm";
  readonly schema: GraphQLSchema;
  /** What resolvers get; one for each request. */
  context(request: RequestInfo): EvmContext;
}

export interface EvmSubgraphDeps {
  readonly config: Pick<Config, "evmChains">;
  readonly database: Database;
  readonly logger: Logger;
  /** Clock that page tokens age by. Default: the system's. */
  readonly nowSeconds?: () => number;
}

/** Reads the installation's secret; the connection that new blocks are told over is opened with the first subscription. */
export async function createEvmSubgraph(deps: EvmSubgraphDeps): Promise<EvmSubgraph> {
  const { config, database, logger, nowSeconds = () => Math.floor(Date.now() / 1000) } = deps;
  const configured = createChains(config);
  const pageTokens = createPageTokens(await loadSecret(database.pool, "page-tokens"), nowSeconds);
  const blocks = createBlockStore(database, configured, pageTokens);
  const erc20Tokens = createErc20TokenStore(database, configured);
  const blockFeed = createBlockFeed(blocks, createBlockNotices(database.pool, logger));
  const stores = {
    configured,
    chains: createChainStore(database, configured),
    blocks,
    transactions: createTransactionStore(database, configured, pageTokens),
    logs: createLogStore(database, pageTokens),
    erc20Transfers: createErc20TransferStore(database, configured, pageTokens, erc20Tokens),
    erc20Tokens,
    blockFeed,
  };
  return {
    name: "evm",
    schema,
    context: () => createContext(stores),
    [Symbol.asyncDispose]: () => blockFeed[Symbol.asyncDispose](),
  };
}
