import type { Work } from "../../core/work/work.ts";
import { type LoadersOf, lazyLoaders } from "../shared/request-context.ts";
import { createLoader, fields } from "../shared/rows/loader.ts";
import type { BalanceKey } from "./balances/store.ts";
import type { BalanceQuery } from "./balances/types.ts";
import { MAX_INPUTS } from "./credentials/store.ts";
import { MAX_ADDRESSES } from "./networks/addresses.ts";
import { byEachNetwork, byNetwork } from "./networks/by-network.ts";
import type { Networks } from "./networks/store.ts";
import type { PrimaryStores } from "./stores.ts";
import { utxosFromRows } from "./utxos/from-row.ts";
import { createValidationValues } from "./validators/values.ts";

const L1_STATE = fields("networkId", "subnetId", "validationId", "blockNumber", "blockTimestamp");
const VALIDATOR_SET = fields("networkId", "subnetId", "blockNumber", "entryId", "isBackward", "size");

/**
 * Returns a function that creates the loaders of one request: of rows by key, and of nested lists. Keys that are requested in one tick are
 * read together.
 */
export function createLoaders(stores: PrimaryStores): (work: Work) => Loaders {
  return lazyLoaders(makersOf(stores));
}

export type Loaders = LoadersOf<ReturnType<typeof makersOf>>;

const makersOf = (stores: PrimaryStores) => ({
  ...createKeyLoaders(stores),
  ...createBlockLoaders(stores),
  ...createStakerLoaders(stores),
  ...createNestedLists(stores),
  ...createAddressLoaders(stores),
});

function createAddressLoaders({ networks, addresses, balances, transactions, unspentUtxos, ...stores }: PrimaryStores) {
  const { validators, delegators, rewards } = stores;
  const ofBalances = fields("network", "chain", "address");
  return {
    chainsOfAddress: createLoader(
      "chainsOfAddress",
      byNetwork(networks, "address", addresses.chainsOf),
      fields("network", "address"),
    ),
    balances: createLoader("balances", byQuery(networks, balances.ofEach), ofBalances, MAX_ADDRESSES),
    importable: createLoader("importable", byQuery(networks, balances.importableOfEach), ofBalances, MAX_ADDRESSES),
    transactionsOfAddress: transactions.ofAddress,
    utxosOfAddress: unspentUtxos.ofAddress,
    utxosOfAsset: unspentUtxos.ofAsset,
    validatorsOfOwner: validators.ofOwner,
    delegatorsOfOwner: delegators.ofOwner,
    rewardsOfOwner: rewards.ofOwner,
  };
}

/** Reads current balances together, those of each network and chain by one query. */
function byQuery<Item>(networks: Networks, read: (query: BalanceQuery, work: Work) => Promise<Item[]>) {
  return byEachNetwork(networks, async (network, keys: readonly BalanceKey[], work) => {
    const lists = [...new Set(keys.map(({ chain }) => chain))].map((chain) => {
      const addresses = keys.filter((key) => key.chain === chain).map(({ address }) => address);
      const now = { blockTimestamp: null, blockNumber: null, timeArgument: "" };
      return read({ network, chain, addresses, ...now }, work);
    });
    return (await Promise.all(lists)).flat();
  });
}

function createKeyLoaders({ networks, indexing, transactions, utxos, assets, vertices, ...stores }: PrimaryStores) {
  const { subnets, subnetTotals, blockchains, credentials, statistics, networkActivity } = stores;
  const utxosOf = byNetwork(networks, "utxoId", async (network, utxoIds, work) =>
    utxosFromRows(network, assets, await utxos.byIds(network, utxoIds, work), work),
  );
  const assetsOf = byNetwork(networks, "assetId", async (network, assetIds, work) => [
    ...(await assets.byIds(network, assetIds, work)).values(),
  ]);
  const transactionsOf = byNetwork(networks, "txHash", transactions.byIds);
  const verticesOf = byNetwork(networks, "vertexHash", vertices.byIds);
  const subnetsOf = byNetwork(networks, "subnetId", subnets.byIds);
  const blockchainsOf = byNetwork(networks, "blockchainId", blockchains.byIds);
  const spentOf = fields("network", "txHash", "input", "owners");
  return {
    networkIndexing: createLoader("networkIndexing", indexing.ofNetworks, fields("networkId")),
    networkStatistics: createLoader("networkStatistics", statistics.of, fields("networkId")),
    networkActivity: createLoader(
      "networkActivity",
      networkActivity.pages,
      fields("networkId", "interval", "from", "until", "size"),
    ),
    transaction: createLoader("transaction", transactionsOf, fields("network", "txHash")),
    utxo: createLoader("utxo", utxosOf, fields("network", "utxoId")),
    asset: createLoader("asset", assetsOf, fields("network", "assetId")),
    vertex: createLoader("vertex", verticesOf, fields("network", "vertexHash")),
    subnet: createLoader("subnet", subnetsOf, fields("network", "subnetId")),
    subnetTotals: createLoader("subnetTotals", subnetTotals, fields("networkId", "subnetId")),
    blockchain: createLoader("blockchain", blockchainsOf, fields("network", "blockchainId")),
    credentials(work: Work) {
      const read = byEachNetwork(networks, credentials.ofRequest());
      return createLoader("credentials", read, spentOf, MAX_INPUTS)(work);
    },
  };
}

function createBlockLoaders({ primaryBlocks, findBlocksAt }: PrimaryStores) {
  return {
    primaryBlockAt: createLoader("primaryBlockAt", findBlocksAt, fields("networkId", "chain", "block", "time")),
    primaryBlockByNumber: createLoader(
      "primaryBlockByNumber",
      primaryBlocks.byNumber,
      ({ network, place: { chain }, blockNumber }) => ({ network, chain, blockNumber }),
    ),
    primaryBlockByHash: createLoader(
      "primaryBlockByHash",
      primaryBlocks.byHash,
      ({ network, place: { chain, blockHash } }) => ({ network, chain, blockHash }),
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
    validator: createLoader("validator", validators.byKey, stakerKey),
    delegator: createLoader("delegator", delegators.byKey, stakerKey),
    l1Validator: createLoader("l1Validator", l1Validators.byKey, ({ served: { networkId }, validationId }) => ({
      networkId,
      validationId,
    })),
    l1ValidatorState: createLoader("l1ValidatorState", stores.l1ValidatorStates, L1_STATE),
    validatorSet: createLoader("validatorSet", stores.validatorSets.pages, VALIDATOR_SET),
    nodeInNetwork: createLoader("nodeInNetwork", validatorNodes.inNetworks, fields("nodeId")),
    delegations: createLoader("delegations", delegations.of, fields("networkId", "txHash")),
    valuesOf: createValidationValues,
    rewardOutlook: createLoader("rewardOutlook", rewardOutlooks.of, fields("networkId", "subnetId")),
    price: createLoader("price", priceHistory.at, fields("asset", "currency", "timestamp")),
  };
}

function createNestedLists(stores: PrimaryStores) {
  const { exceptions, primaryBlocks, blockchains, validators, delegators, l1Validators, rewards } = stores;
  return {
    exceptionsOfChain: exceptions.ofChain,
    transactionsOfPrimaryBlock: primaryBlocks.transactionsOf,
    blockchainsOfSubnet: blockchains.ofSubnet,
    genesis: blockchains.genesis,
    validatorsOfSubnet: validators.ofSubnet,
    validatorsOfNode: validators.ofNode,
    delegatorsOfValidation: delegators.ofValidation,
    delegatorsOfNode: delegators.ofNode,
    l1ValidatorsOfSubnet: l1Validators.ofSubnet,
    l1ValidatorsOfNode: l1Validators.ofNode,
    transactionsOfL1Validator: stores.transactions.ofL1Validator,
    rewardsOfNode: rewards.ofNode,
    rewardsOfStaker: rewards.ofStaker,
  };
}
