import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { SharedAssetBalance } from "../balances/types.ts";
import { Blockchain, Chain } from "../blockchains/types.ts";
import { PrimaryNetworkBlock } from "../blocks/types.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { chainIdText, findChain } from "../networks/chains.ts";
import { PrimaryChainIndexing, PrimaryNetworkChainInfo } from "../networks/types.ts";
import { L1ValidatorManagerDetails } from "../ownership/subnet-ownership.ts";
import { Subnet } from "../subnets/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { PrimaryNetworkUtxo } from "../utxos/types.ts";

/** Loads a blockchain by its ID as CB58 or hex; null without an ID. */
function loadBlockchain(
  network: NetworkName,
  blockchainId: string | null,
  { load }: PrimaryContext,
): Promise<Blockchain | null> | null {
  if (blockchainId === null) return null;
  return load.blockchain({ network, blockchainId: parseIdParameter("blockchainId", blockchainId) });
}

interface OfChain {
  readonly network: NetworkName;
  readonly chainName: string;
}

/** Makes the resolver class of the field `blockchain` of a type. */
function linkToChain(Type: new () => OfChain) {
  @Resolver(() => Type)
  class BlockchainLink {
    @FieldResolver(() => Blockchain, { nullable: true, description: "The chain. Null if it is not indexed." })
    async blockchain(
      @Root() { network, chainName }: OfChain,
      @Ctx() context: PrimaryContext,
    ): Promise<Blockchain | null> {
      const served = await context.networks.require(network);
      return loadBlockchain(network, chainIdText(served, findChain(served, chainName)), context);
    }
  }
  return BlockchainLink;
}

@Resolver(() => PrimaryChainIndexing)
class IndexedChainLink {
  @FieldResolver(() => Blockchain, {
    nullable: true,
    description: "The chain. Null until the genesis of the network is indexed.",
  })
  blockchain(
    @Root() { key: { network }, blockchainId }: PrimaryChainIndexing,
    @Ctx() context: PrimaryContext,
  ): Promise<Blockchain | null> | null {
    return loadBlockchain(network, blockchainId, context);
  }
}

@Resolver(() => SharedAssetBalance)
class SharedBalanceLinks {
  @FieldResolver(() => Blockchain, {
    nullable: true,
    description: "The other chain. Null if it is not indexed.",
  })
  sharedWithChain(
    @Root() { network, sharedWithChainId }: SharedAssetBalance,
    @Ctx() context: PrimaryContext,
  ): Promise<Blockchain | null> | null {
    return loadBlockchain(network, sharedWithChainId, context);
  }
}

@Resolver(() => PrimaryNetworkUtxo)
class UtxoChainLinks {
  @FieldResolver(() => Blockchain, { nullable: true, description: "Chain that created it. Null if it is not indexed." })
  createdOnChain(
    @Root() { network, createdOnChainId }: PrimaryNetworkUtxo,
    @Ctx() context: PrimaryContext,
  ): Promise<Blockchain | null> | null {
    return loadBlockchain(network, createdOnChainId, context);
  }

  @FieldResolver(() => Blockchain, {
    nullable: true,
    description: "Chain that consumed it or can consume it. Null if it is not indexed.",
  })
  consumedOnChain(
    @Root() { network, consumedOnChainId }: PrimaryNetworkUtxo,
    @Ctx() context: PrimaryContext,
  ): Promise<Blockchain | null> | null {
    return loadBlockchain(network, consumedOnChainId, context);
  }
}

@Resolver(() => PrimaryNetworkTransaction)
class TransactionChainLinks {
  @FieldResolver(() => PrimaryNetworkChainInfo, { description: "Chain of the transaction." })
  chainInfo(@Root() { network, chain }: PrimaryNetworkTransaction): PrimaryNetworkChainInfo {
    return { network, chainName: PRIMARY_CHAIN_ALIASES[chain] };
  }

  @FieldResolver(() => Blockchain, {
    nullable: true,
    description: "The exporting chain. Null unless it is an ImportTx or ExportTx.",
  })
  sourceBlockchain(
    @Root() { network, sourceChain }: PrimaryNetworkTransaction,
    @Ctx() context: PrimaryContext,
  ): Promise<Blockchain | null> | null {
    return loadBlockchain(network, sourceChain, context);
  }

  @FieldResolver(() => Blockchain, {
    nullable: true,
    description: "The importing chain. Null unless it is an ImportTx or ExportTx.",
  })
  destinationBlockchain(
    @Root() { network, destinationChain }: PrimaryNetworkTransaction,
    @Ctx() context: PrimaryContext,
  ): Promise<Blockchain | null> | null {
    return loadBlockchain(network, destinationChain, context);
  }
}

@Resolver(() => L1ValidatorManagerDetails)
class ManagerChainLink {
  @FieldResolver(() => Blockchain, {
    nullable: true,
    description: "The contract's chain. Null if no such blockchain is indexed: the transaction can name any ID.",
  })
  blockchain(
    @Root() { network, blockchainId }: L1ValidatorManagerDetails,
    @Ctx() context: PrimaryContext,
  ): Promise<Blockchain | null> | null {
    return loadBlockchain(network, blockchainId, context);
  }
}

@Resolver(() => Chain)
class ChainSubnetLink {
  @FieldResolver(() => Subnet, {
    nullable: true,
    description: "The subnet that validates the chain. Null in the same cases as `blockchain`.",
  })
  async subnet(
    @Root() { chainId }: Chain,
    @Ctx() { networks, servedChains, load }: PrimaryContext,
  ): Promise<Subnet | null> {
    const found = servedChains.blockchainOf(chainId);
    const blockchain = found && (await networks.get(found.network, "P")) && (await load.blockchain(found));
    return blockchain && load.subnet({ network: blockchain.network, subnetId: blockchain.subnetId });
  }
}

/** The links to blockchains and subnets. */
export const BLOCKCHAIN_LINKS = [
  ...[PrimaryNetworkChainInfo, PrimaryNetworkBlock].map(linkToChain),
  IndexedChainLink,
  SharedBalanceLinks,
  UtxoChainLinks,
  TransactionChainLinks,
  ManagerChainLink,
  ChainSubnetLink,
];
