import { createBatch } from "../shared/batch.ts";
import { createBalanceStore } from "./balances/store.ts";
import { createServedChains } from "./blockchains/served-chains.ts";
import { createBlockchainStore } from "./blockchains/store.ts";
import { createPrimaryBlockStore } from "./blocks/store.ts";
import { createCredentialStore, MOST_SPENT } from "./credentials/store.ts";
import { byEachNetwork, byNetwork, type Networks } from "./networks/store.ts";
import type { StoreDeps } from "./stores.ts";
import { createSubnetStore } from "./subnets/store.ts";
import { createVertexStore } from "./vertices/store.ts";

/** What the chains are made of and what is owned on them. Lives as long as the process. */
export function createLedgerStores({ config, database, logger, networks, nowSeconds, pageTokens }: StoreDeps) {
  const servedChains = createServedChains(config);
  return {
    balances: createBalanceStore(database, nowSeconds),
    primaryBlocks: createPrimaryBlockStore(database, pageTokens, networks),
    vertices: createVertexStore(database, pageTokens),
    subnets: createSubnetStore(database, pageTokens),
    blockchains: createBlockchainStore(database, networks),
    servedChains,
    credentials: createCredentialStore({ database, servedChains, logger }),
  };
}

/** Loaders of the same, for one request. */
export function createLedgerLoaders(stores: ReturnType<typeof createLedgerStores> & { readonly networks: Networks }) {
  const { networks, primaryBlocks, vertices, subnets, blockchains, credentials } = stores;
  return {
    primaryBlockByNumber: createBatch(primaryBlocks.byNumber, ({ network, place: { chain }, blockNumber }) => ({
      network,
      chain,
      blockNumber,
    })),
    primaryBlockByHash: createBatch(primaryBlocks.byHash, ({ network, place: { chain, blockHash } }) => ({
      network,
      chain,
      blockHash,
    })),
    transactionsOfPrimaryBlock: primaryBlocks.transactionsOf(),
    vertex: createBatch(byNetwork(networks, "vertexHash", vertices.named), ({ network, vertexHash }) => ({
      network,
      vertexHash,
    })),
    subnet: createBatch(byNetwork(networks, "subnetId", subnets.named), ({ network, subnetId }) => ({
      network,
      subnetId,
    })),
    blockchain: createBatch(byNetwork(networks, "blockchainId", blockchains.named), ({ network, blockchainId }) => ({
      network,
      blockchainId,
    })),
    credentials: createBatch(
      byEachNetwork(networks, credentials.ofRequest()),
      ({ network, txHash, input, owners }) => ({ network, txHash, input, owners }),
      MOST_SPENT,
    ),
    blockchainsOfSubnet: blockchains.ofSubnet(),
    genesis: blockchains.genesis(),
  };
}
