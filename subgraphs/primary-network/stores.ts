import type { Config } from "../../core/config-schema.ts";
import type { Database } from "../../core/database.ts";
import type { Logger } from "../../core/logger.ts";
import type { PageTokens } from "../../core/page.ts";
import { createBatch } from "../shared/batch.ts";
import { createAssetStore } from "./assets/store.ts";
import { createLedgerLoaders, createLedgerStores } from "./ledger.ts";
import { createIndexingStore } from "./networks/indexing.ts";
import { byNetwork, type Networks } from "./networks/store.ts";
import { createStakingLoaders, createStakingStores } from "./staking.ts";
import { createTransactionStore } from "./transactions/store.ts";
import { shownUtxos } from "./utxos/from-row.ts";
import { createUtxoStore } from "./utxos/store.ts";

/** What stores are made of. */
export interface StoreDeps {
  readonly config: Pick<Config, "primaryNetworks" | "evmChains" | "prices">;
  readonly database: Database;
  readonly logger: Logger;
  readonly nowSeconds: () => number;
  readonly pageTokens: PageTokens;
  readonly networks: Networks;
}

/** What lives as long as the process: a line for each store. */
export function createStores(deps: StoreDeps) {
  const { database, networks, nowSeconds, pageTokens } = deps;
  const [utxos, assets] = [createUtxoStore(database), createAssetStore(database)];
  return {
    ...createStakingStores(deps, assets),
    ...createLedgerStores(deps),
    networks,
    nowSeconds,
    utxos,
    assets,
    transactions: createTransactionStore(database, pageTokens, { utxos, assets }),
    indexing: createIndexingStore(database, networks),
  };
}

export type PrimaryStores = ReturnType<typeof createStores>;

/** Rows by key, and lists below a parent: whatever is asked in one tick costs one statement each. For one request. */
export function createLoaders(stores: PrimaryStores) {
  const { networks, indexing, transactions, utxos, assets } = stores;
  return {
    ...createStakingLoaders(stores),
    ...createLedgerLoaders(stores),
    networkIndexing: createBatch(
      (keys: readonly { readonly networkId: string }[]) => indexing.ofNetworks(keys.map(({ networkId }) => networkId)),
      ({ networkId }) => ({ networkId }),
    ),
    transaction: createBatch(byNetwork(networks, "txHash", transactions.named), ({ network, txHash }) => ({
      network,
      txHash,
    })),
    utxo: createBatch(
      byNetwork(networks, "utxoId", async (network, utxoIds) =>
        shownUtxos(network, assets, await utxos.named(network, utxoIds)),
      ),
      ({ network, utxoId }) => ({ network, utxoId }),
    ),
  };
}

export type Loaders = ReturnType<typeof createLoaders>;
