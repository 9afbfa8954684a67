import type { GraphQLSchema } from "graphql";
import { createChains } from "../../core/chains.ts";
import type { Config } from "../../core/config-schema.ts";
import { type Database, loadSecret } from "../../core/database.ts";
import type { RequestInfo } from "../../core/graph-client.ts";
import type { Logger } from "../../core/logger.ts";
import { createPageTokens } from "../../core/page.ts";
import { createPriceStore } from "../shared/price-store.ts";
import { createBlockNotices } from "./blocks/notifications.ts";
import { createBlockStore } from "./blocks/store.ts";
import { createBlockFeed } from "./blocks/subscriptions.ts";
import { createChainStore } from "./chains/store.ts";
import { createContext, type EvmContext } from "./context.ts";
import { createErc20TokenStore } from "./erc20-tokens/store.ts";
import { createErc20TransferStore } from "./erc20-transfers/store.ts";
import { createLogStore } from "./logs/store.ts";
import { createMethodTable } from "./methods/table.ts";
import { createBalanceNode } from "./native-balances/balance-node.ts";
import { createFindBlock } from "./native-balances/find-block.ts";
import { createNativeBalanceStore } from "./native-balances/store.ts";
import { createNftTokenStore } from "./nft-tokens/store.ts";
import { createPriceBook } from "./prices/current-prices.ts";
import { schema } from "./schema.ts";
import { createFactStores } from "./stores.ts";
import { createTransactionStore } from "./transactions/store.ts";

/** The evm subgraph, to run in a gateway's process or behind a server of its own. Disposing it ends its subscriptions. */
export interface EvmSubgraph extends AsyncDisposable {
  readonly name: "evm";
  readonly schema: GraphQLSchema;
  /** What resolvers get; one for each request. */
  context(request: RequestInfo): EvmContext;
}

export interface EvmSubgraphDeps {
  readonly config: Pick<Config, "evmChains" | "prices" | "indexing" | "methodSignatures">;
  readonly database: Database;
  readonly logger: Logger;
  /** Clock that page tokens and prices age by. Default: the system's. */
  readonly nowSeconds?: () => number;
}

/** Reads the installation's secret and the operator's method signatures; the connection that new blocks are told over is opened with the first subscription. */
export async function createEvmSubgraph(deps: EvmSubgraphDeps): Promise<EvmSubgraph> {
  const { config, database, logger, nowSeconds = () => Math.floor(Date.now() / 1000) } = deps;
  const configured = createChains(config);
  const pageTokens = createPageTokens(await loadSecret(database.pool, "page-tokens"), nowSeconds);
  const blocks = createBlockStore(database, configured, pageTokens);
  const erc20Tokens = createErc20TokenStore(database, configured);
  const priceHistory = createPriceStore(database, config.prices.maxAgeSeconds);
  const nativeBalances = createNativeBalanceStore({
    chains: configured,
    findBlock: createFindBlock(database),
    node: createBalanceNode(config.indexing),
  });
  const blockFeed = createBlockFeed(blocks, createBlockNotices(database.pool, logger));
  const stores = {
    ...createFactStores(database, configured, pageTokens, erc20Tokens),
    configured,
    chains: createChainStore(database, configured),
    blocks,
    transactions: createTransactionStore(database, configured, pageTokens),
    methods: createMethodTable(config.methodSignatures),
    logs: createLogStore(database, pageTokens),
    erc20Transfers: createErc20TransferStore(database, configured, pageTokens, erc20Tokens),
    erc20Tokens,
    nftTokens: createNftTokenStore(database),
    blockFeed,
    prices: createPriceBook({ chains: configured, store: priceHistory, logger, nowSeconds }),
    priceHistory,
    nativeBalances,
  };
  return {
    name: "evm",
    schema,
    context: () => createContext(stores),
    async [Symbol.asyncDispose]() {
      await blockFeed[Symbol.asyncDispose]();
      await nativeBalances[Symbol.asyncDispose]();
    },
  };
}
