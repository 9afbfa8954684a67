import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { Blockchain } from "../blockchains/types.ts";
import { PrimaryNetworkBlock, ProposerDetails } from "../blocks/types.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { L1ValidatorConnection, L1ValidatorState } from "../l1-validators/types.ts";
import { PrimaryChainIndexing } from "../networks/types.ts";
import { PrimaryNetworkStatistics } from "../statistics/types.ts";
import { Subnet } from "../subnets/types.ts";
import { TransactionVertex } from "../transactions/part-types.ts";
import { PrimaryNetworkUtxo } from "../utxos/types.ts";
import { ValidatorSetConnection } from "../validator-sets/types.ts";
import { XChainVertex } from "../vertices/types.ts";

type LoadedBlock = Promise<PrimaryNetworkBlock | null> | null;

/** Loads a block by its height; null without one, and for the height -1 of what the genesis has. */
function loadBlock(
  network: NetworkName,
  chain: PrimaryChain,
  blockNumber: string | null,
  { load }: PrimaryContext,
): LoadedBlock {
  if (blockNumber === null || blockNumber.startsWith("-")) return null;
  return load.primaryBlockByNumber({ network, chain, blockNumber });
}

@Resolver(() => Blockchain)
class BlockchainBlockLink {
  @FieldResolver(() => PrimaryNetworkBlock, {
    nullable: true,
    description: "P-Chain block that created it. Null for a chain of the genesis.",
  })
  createBlock(@Root() { network, createBlockNumber }: Blockchain, @Ctx() context: PrimaryContext): LoadedBlock {
    return loadBlock(network, "P", createBlockNumber, context);
  }
}

@Resolver(() => Subnet)
class SubnetBlockLink {
  @FieldResolver(() => PrimaryNetworkBlock, {
    nullable: true,
    description: "P-Chain block that created it. Null for the primary network.",
  })
  createBlock(@Root() { network, createBlockIndex }: Subnet, @Ctx() context: PrimaryContext): LoadedBlock {
    return loadBlock(network, "P", createBlockIndex, context);
  }
}

@Resolver(() => PrimaryNetworkUtxo)
class UtxoBlockLinks {
  @FieldResolver(() => PrimaryNetworkBlock, {
    nullable: true,
    description:
      "Block that created it. Null for outputs of the genesis or of a vertex, and for an imported output while the export on the other chain is not indexed yet. Also null on the C-Chain if the node from which this network is indexed does not provide C-Chain blocks through its index API.",
  })
  block(@Root() { network, row }: PrimaryNetworkUtxo, @Ctx() context: PrimaryContext): LoadedBlock {
    return loadBlock(network, row.createdOnChain, row.createdBlockNumber, context);
  }

  @FieldResolver(() => PrimaryNetworkBlock, {
    nullable: true,
    description:
      "Block that contains the consuming transaction. Null if unspent or consumed in a vertex. Also null on the C-Chain if the node from which this network is indexed does not provide C-Chain blocks through its index API.",
  })
  consumingBlock(@Root() { network, row }: PrimaryNetworkUtxo, @Ctx() context: PrimaryContext): LoadedBlock {
    return loadBlock(network, row.chain, row.consumedBlockNumber, context);
  }
}

@Resolver(() => PrimaryChainIndexing)
class IndexedBlockLink {
  @FieldResolver(() => PrimaryNetworkBlock, {
    nullable: true,
    description: "Last indexed block. Null before the first block.",
  })
  block(
    @Root() { key: { network, chain }, blockNumber }: PrimaryChainIndexing,
    @Ctx() context: PrimaryContext,
  ): LoadedBlock {
    return loadBlock(network, chain, blockNumber, context);
  }
}

@Resolver(() => L1ValidatorConnection)
class L1ValidatorPageLink {
  @FieldResolver(() => PrimaryNetworkBlock, {
    nullable: true,
    description: "The P-Chain block that the page reflects. Null before the first block.",
  })
  block(@Root() { network, blockHeight }: L1ValidatorConnection, @Ctx() context: PrimaryContext): LoadedBlock {
    return loadBlock(network, "P", blockHeight, context);
  }
}

@Resolver(() => PrimaryNetworkStatistics)
class StatisticsBlockLink {
  @FieldResolver(() => PrimaryNetworkBlock, {
    nullable: true,
    description: "The block. Null if it is not indexed.",
  })
  block(@Root() { network, blockNumber }: PrimaryNetworkStatistics, @Ctx() context: PrimaryContext): LoadedBlock {
    return loadBlock(network, "P", blockNumber, context);
  }
}

@Resolver(() => ProposerDetails)
class ProposerBlockLink {
  @FieldResolver(() => PrimaryNetworkBlock, {
    nullable: true,
    description:
      "The P-Chain block at `proposerPChainHeight`. Null if it is not indexed, and for a commit or abort block.",
  })
  proposerPChainBlock(
    @Root() { network, proposerPChainHeight }: ProposerDetails,
    @Ctx() context: PrimaryContext,
  ): LoadedBlock {
    return loadBlock(network, "P", proposerPChainHeight, context);
  }
}

@Resolver(() => PrimaryNetworkBlock)
class ParentBlockLink {
  @FieldResolver(() => PrimaryNetworkBlock, {
    nullable: true,
    description: "Parent block. Null if it is not indexed, such as the parent of the first block.",
  })
  parent(
    @Root() { network, place: { chain }, parentHash }: PrimaryNetworkBlock,
    @Ctx() { load }: PrimaryContext,
  ): LoadedBlock {
    return load.primaryBlockByHash({ network, chain, blockHash: parseIdParameter("parentHash", parentHash) });
  }
}

@Resolver(() => XChainVertex)
class VertexLinks {
  @FieldResolver(() => [XChainVertex], { description: "The parent vertices that are indexed." })
  async parents(
    @Root() { network, parentHashes }: XChainVertex,
    @Ctx() { load }: PrimaryContext,
  ): Promise<XChainVertex[]> {
    const found = await Promise.all(parentHashes.map((vertexHash) => load.vertex({ network, vertexHash })));
    return found.filter((one) => one !== null);
  }
}

@Resolver(() => TransactionVertex)
class TransactionVertexLink {
  @FieldResolver(() => XChainVertex, { nullable: true, description: "The vertex." })
  vertex(@Root() { network, hash }: TransactionVertex, @Ctx() { load }: PrimaryContext): Promise<XChainVertex | null> {
    return load.vertex({ network, vertexHash: hash });
  }
}

@Resolver(() => L1ValidatorState)
class L1ValidatorStateLink {
  @FieldResolver(() => PrimaryNetworkBlock, { nullable: true, description: "The block. Null if it is the genesis." })
  block(@Root() { network, blockNumber }: L1ValidatorState, @Ctx() context: PrimaryContext): LoadedBlock {
    return loadBlock(network, "P", blockNumber, context);
  }
}

@Resolver(() => ValidatorSetConnection)
class ValidatorSetLink {
  @FieldResolver(() => PrimaryNetworkBlock, { nullable: true, description: "The block. Null if it is the genesis." })
  block(@Root() { network, blockNumber }: ValidatorSetConnection, @Ctx() context: PrimaryContext): LoadedBlock {
    return loadBlock(network, "P", blockNumber, context);
  }
}

/** The links to blocks and vertices. */
export const BLOCK_LINKS = [
  BlockchainBlockLink,
  SubnetBlockLink,
  UtxoBlockLinks,
  IndexedBlockLink,
  L1ValidatorPageLink,
  StatisticsBlockLink,
  ProposerBlockLink,
  ParentBlockLink,
  VertexLinks,
  TransactionVertexLink,
  L1ValidatorStateLink,
  ValidatorSetLink,
];
