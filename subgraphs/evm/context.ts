import type { Chains } from "../../core/chains.ts";
import { type Batch, createBatch } from "../shared/batch.ts";
import type { NestedList } from "../shared/nested-list.ts";
import type { PricedKey, PriceKey, PriceStore } from "../shared/price-store.ts";
import type { BlockStore, HashKey, NumberKey } from "./blocks/store.ts";
import type { BlockFeed } from "./blocks/subscriptions.ts";
import type { EvmBlock } from "./blocks/types.ts";
import type { ChainStore } from "./chains/store.ts";
import type { Chain } from "./chains/types.ts";
import type { Erc20TokenStore, TokenKey } from "./erc20-tokens/store.ts";
import type { Erc20Token } from "./erc20-tokens/types.ts";
import type { Erc20TransferStore, TransferKey } from "./erc20-transfers/store.ts";
import type { Erc20Transfer } from "./erc20-transfers/types.ts";
import type { LogStore } from "./logs/store.ts";
import type { EvmLog } from "./logs/types.ts";
import type { MethodTable } from "./methods/table.ts";
import type { NativeBalanceStore } from "./native-balances/store.ts";
import type { NftKey, NftTokenStore } from "./nft-tokens/store.ts";
import type { Erc721Token, Erc1155Token } from "./nft-tokens/types.ts";
import type { PriceBook } from "./prices/current-prices.ts";
import { createFactLoaders, type FactLoaders, type FactStores } from "./stores.ts";
import type { TransactionKey, TransactionStore } from "./transactions/store.ts";
import type { EvmTransaction } from "./transactions/types.ts";

/** What lives as long as the process. */
export interface EvmStores extends FactStores {
  readonly configured: Chains;
  readonly chains: ChainStore;
  readonly blocks: BlockStore;
  readonly transactions: TransactionStore;
  readonly methods: MethodTable;
  readonly logs: LogStore;
  readonly erc20Transfers: Erc20TransferStore;
  readonly erc20Tokens: Erc20TokenStore;
  readonly nftTokens: NftTokenStore;
  readonly blockFeed: BlockFeed;
  readonly prices: PriceBook;
  readonly priceHistory: PriceStore;
  readonly nativeBalances: NativeBalanceStore;
}

/** Rows by key, and lists below a parent: whatever is asked in one tick costs one statement each. */
export interface Loaders extends FactLoaders {
  readonly chain: Batch<{ readonly chainId: string }, Chain>;
  readonly pendingTokens: Batch<{ readonly chainId: string }, { readonly chainId: string; readonly count: number }>;
  readonly blockByNumber: Batch<NumberKey, EvmBlock>;
  readonly blockByHash: Batch<HashKey, EvmBlock>;
  readonly transaction: Batch<TransactionKey, EvmTransaction>;
  readonly transfer: Batch<TransferKey, Erc20Transfer>;
  readonly token: Batch<TokenKey, Erc20Token>;
  readonly erc721Token: Batch<NftKey, Erc721Token>;
  readonly erc1155Token: Batch<NftKey, Erc1155Token>;
  readonly price: Batch<PriceKey, PricedKey>;
  readonly transactionsOfBlock: NestedList<EvmTransaction>;
  readonly logsOfTransaction: NestedList<EvmLog>;
  readonly transfersOfTransaction: NestedList<Erc20Transfer>;
  readonly transfersOfToken: NestedList<Erc20Transfer>;
}

/** What every resolver gets; made for each request. */
export interface EvmContext extends EvmStores {
  readonly load: Loaders;
  /** Begins anew with the loaders: a subscription's context serves one event after the other. */
  forgetLoaded(): void;
}

/** Loaders are made when the first is used: a hot list needs none. */
export function createContext(stores: EvmStores): EvmContext {
  let loaders: Loaders | undefined;
  return {
    ...stores,
    get load() {
      loaders ??= createLoaders(stores);
      return loaders;
    },
    forgetLoaded() {
      loaders = undefined;
    },
  };
}

/** EVM chain id of the chain that a caller's `chainId` names. Throws `NOT_FOUND`. */
export function chainIdOf(chainId: string, { configured }: Pick<EvmStores, "configured">): string {
  return String(configured.find(chainId).chainId);
}

function createLoaders(stores: EvmStores): Loaders {
  const { chains, blocks, transactions, logs, erc20Transfers, erc20Tokens, nftTokens, priceHistory } = stores;
  const idsOf = (keys: readonly { readonly chainId: string }[]) => keys.map(({ chainId }) => chainId);
  return {
    ...createFactLoaders(stores),
    chain: createBatch(
      (keys) => chains.named(idsOf(keys)),
      ({ chainId }) => ({ chainId }),
    ),
    pendingTokens: createBatch(
      (keys) => chains.pendingTokens(idsOf(keys)),
      ({ chainId }) => ({ chainId }),
    ),
    blockByNumber: createBatch(blocks.byNumber, ({ chainId, blockNumber }) => ({ chainId, blockNumber })),
    blockByHash: createBatch(blocks.byHash, ({ chainId, blockHash }) => ({ chainId, blockHash })),
    transaction: createBatch(transactions.byHash, ({ chainId, txHash }) => ({ chainId, txHash })),
    transfer: createBatch(erc20Transfers.byKey, ({ chainId, blockNumber, logIndex }) => ({
      chainId,
      blockNumber,
      logIndex,
    })),
    token: createBatch(erc20Tokens.byAddress, ({ chainId, address }) => ({ chainId, address })),
    erc721Token: createBatch(nftTokens.erc721, ({ chainId, address, tokenId }) => ({ chainId, address, tokenId })),
    erc1155Token: createBatch(nftTokens.erc1155, ({ chainId, address, tokenId }) => ({ chainId, address, tokenId })),
    price: createBatch(priceHistory.at, ({ asset, currency, timestamp }) => ({ asset, currency, timestamp })),
    transactionsOfBlock: transactions.ofBlock(),
    logsOfTransaction: logs.ofTransaction(),
    transfersOfTransaction: erc20Transfers.ofTransaction(),
    transfersOfToken: erc20Transfers.ofToken(),
  };
}
