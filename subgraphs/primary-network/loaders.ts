import { type LoadersOf, lazyLoaders } from "../shared/request-context.ts";
import { createBatch } from "../shared/rows/batch.ts";
import { MAX_INPUTS } from "./credentials/store.ts";
import { byEachNetwork, byNetwork } from "./networks/by-network.ts";
import type { PrimaryStores } from "./stores.ts";
import { utxosFromRows } from "./utxos/from-row.ts";
import { createValidationValues } from "./validators/values.ts";

/**
 * Returns a function that creates the loaders of one request: of rows by key, and of nested lists. Keys that are requested in one tick are
 * read together.
 */
export function createLoaders(stores: PrimaryStores): () => Loaders {
  return lazyLoaders(makersOf(stores));
}

export type Loaders = LoadersOf<ReturnType<typeof makersOf>>;

const makersOf = (stores: PrimaryStores) => ({
  ...createKeyLoaders(stores),
  ...createStakerLoaders(stores),
  ...createNestedLists(stores),
});

function createKeyLoaders(stores: PrimaryStores) {
  const { networks, indexing, transactions, utxos, assets, primaryBlocks, vertices, subnets, blockchains } = stores;
  return {
    networkIndexing: () =>
      createBatch(
        "networkIndexing",
        (keys: readonly { readonly networkId: string }[]) =>
          indexing.ofNetworks(keys.map(({ networkId }) => networkId)),
        ({ networkId }) => ({ networkId }),
      ),
    transaction: () =>
      createBatch("transaction", byNetwork(networks, "txHash", transactions.byIds), ({ network, txHash }) => ({
        network,
        txHash,
      })),
    utxo: () =>
      createBatch(
        "utxo",
        byNetwork(networks, "utxoId", async (network, utxoIds) =>
          utxosFromRows(network, assets, await utxos.byIds(network, utxoIds)),
        ),
        ({ network, utxoId }) => ({ network, utxoId }),
      ),
    primaryBlockByNumber: () =>
      createBatch("primaryBlockByNumber", primaryBlocks.byNumber, ({ network, place: { chain }, blockNumber }) => ({
        network,
        chain,
        blockNumber,
      })),
    primaryBlockByHash: () =>
      createBatch("primaryBlockByHash", primaryBlocks.byHash, ({ network, place: { chain, blockHash } }) => ({
        network,
        chain,
        blockHash,
      })),
    vertex: () =>
      createBatch("vertex", byNetwork(networks, "vertexHash", vertices.byIds), ({ network, vertexHash }) => ({
        network,
        vertexHash,
      })),
    subnet: () =>
      createBatch("subnet", byNetwork(networks, "subnetId", subnets.byIds), ({ network, subnetId }) => ({
        network,
        subnetId,
      })),
    blockchain: () =>
      createBatch(
        "blockchain",
        byNetwork(networks, "blockchainId", blockchains.byIds),
        ({ network, blockchainId }) => ({
          network,
          blockchainId,
        }),
      ),
    credentials: () =>
      createBatch(
        "credentials",
        byEachNetwork(networks, stores.credentials.ofRequest()),
        ({ network, txHash, input, owners }) => ({ network, txHash, input, owners }),
        MAX_INPUTS,
      ),
  };
}

function createStakerLoaders(stores: PrimaryStores) {
  const { validators, delegators, l1Validators, validatorNodes, delegations, rewardOutlooks, priceHistory } = stores;
  const stakerKey = ({ row: { networkId, txHash } }: { row: { networkId: string; txHash: string } }) => ({
    networkId,
    txHash,
  });
  return {
    validator: () => createBatch("validator", validators.byKey, stakerKey),
    delegator: () => createBatch("delegator", delegators.byKey, stakerKey),
    l1Validator: () =>
      createBatch("l1Validator", l1Validators.byKey, ({ served, validationId }) => ({
        networkId: served.networkId,
        validationId,
      })),
    nodeInNetwork: () => createBatch("nodeInNetwork", validatorNodes.inNetworks, ({ nodeId }) => ({ nodeId })),
    delegations: () => createBatch("delegations", delegations.of, ({ networkId, txHash }) => ({ networkId, txHash })),
    valuesOf: createValidationValues,
    rewardOutlook: () =>
      createBatch("rewardOutlook", rewardOutlooks.of, ({ networkId, subnetId }) => ({
        networkId,
        subnetId,
      })),
    price: () =>
      createBatch("price", priceHistory.at, ({ asset, currency, timestamp }) => ({ asset, currency, timestamp })),
  };
}

function createNestedLists({
  exceptions,
  primaryBlocks,
  blockchains,
  validators,
  delegators,
  l1Validators,
  rewards,
}: PrimaryStores) {
  return {
    exceptionsOfChain: () => exceptions.ofChain(),
    transactionsOfPrimaryBlock: () => primaryBlocks.transactionsOf(),
    blockchainsOfSubnet: () => blockchains.ofSubnet(),
    genesis: () => blockchains.genesis(),
    validatorsOfSubnet: () => validators.ofSubnet(),
    validatorsOfNode: () => validators.ofNode(),
    delegatorsOfValidation: () => delegators.ofValidation(),
    delegatorsOfNode: () => delegators.ofNode(),
    l1ValidatorsOfSubnet: () => l1Validators.ofSubnet(),
    l1ValidatorsOfNode: () => l1Validators.ofNode(),
    rewardsOfNode: () => rewards.ofNode(),
    rewardsOfStaker: () => rewards.ofStaker(),
  };
}
