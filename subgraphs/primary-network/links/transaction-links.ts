import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { PrimaryNetworkAsset } from "../assets/types.ts";
import { Blockchain } from "../blockchains/types.ts";
import type { PrimaryContext } from "../context.ts";
import { PrimaryChainException } from "../exceptions/types.ts";
import { HistoricalReward } from "../rewards/types.ts";
import { Subnet, SubnetStaking } from "../subnets/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { PrimaryNetworkUtxo } from "../utxos/types.ts";
import { Validator, ValidatorRewards } from "../validators/types.ts";

type LoadedTransaction = Promise<PrimaryNetworkTransaction | null> | null;

function loadTransaction(network: NetworkName, txHash: string | null, { load }: PrimaryContext): LoadedTransaction {
  return txHash === null ? null : load.transaction({ network, txHash });
}

@Resolver(() => PrimaryNetworkAsset)
class AssetTransactionLink {
  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "Transaction that created it. Null for an asset of the genesis.",
  })
  transaction(@Root() { network, assetId }: PrimaryNetworkAsset, @Ctx() context: PrimaryContext): LoadedTransaction {
    return loadTransaction(network, assetId, context);
  }
}

@Resolver(() => Blockchain)
class BlockchainTransactionLink {
  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "CreateChainTx that created it. Null for a chain of the genesis.",
  })
  transaction(@Root() { network, blockchainId }: Blockchain, @Ctx() context: PrimaryContext): LoadedTransaction {
    return loadTransaction(network, blockchainId, context);
  }
}

@Resolver(() => Subnet)
class SubnetTransactionLinks {
  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "CreateSubnetTx that created it. Null for the primary network.",
  })
  transaction(@Root() { network, subnetId }: Subnet, @Ctx() context: PrimaryContext): LoadedTransaction {
    return loadTransaction(network, subnetId, context);
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "ConvertSubnetToL1Tx. Null unless it is an L1.",
  })
  l1ConversionTransaction(
    @Root() { network, l1ConversionTransactionHash }: Subnet,
    @Ctx() context: PrimaryContext,
  ): LoadedTransaction {
    return loadTransaction(network, l1ConversionTransactionHash, context);
  }
}

@Resolver(() => SubnetStaking)
class StakingTransactionLink {
  @FieldResolver(() => PrimaryNetworkTransaction, { nullable: true, description: "The TransformSubnetTx." })
  transformTransaction(
    @Root() { network, transformTxHash }: SubnetStaking,
    @Ctx() context: PrimaryContext,
  ): LoadedTransaction {
    return loadTransaction(network, transformTxHash, context);
  }
}

@Resolver(() => Validator)
class ValidatorTransactionLink {
  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "Transaction that removed the validator from its subnet. Null unless the status is `removed`.",
  })
  removeTransaction(@Root() { network, removeTxHash }: Validator, @Ctx() context: PrimaryContext): LoadedTransaction {
    return loadTransaction(network, removeTxHash, context);
  }
}

@Resolver(() => ValidatorRewards)
class RewardsTransactionLink {
  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "Transaction that decided on the rewards. Null if there is none.",
  })
  rewardTransaction(
    @Root() { network, rewardTxHash }: ValidatorRewards,
    @Ctx() context: PrimaryContext,
  ): LoadedTransaction {
    return loadTransaction(network, rewardTxHash, context);
  }
}

@Resolver(() => HistoricalReward)
class HistoricalRewardLinks {
  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "Staking transaction. Null for a stake of the genesis.",
  })
  transaction(@Root() { network, txHash }: HistoricalReward, @Ctx() context: PrimaryContext): LoadedTransaction {
    return loadTransaction(network, txHash, context);
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "Transaction that decided on the reward.",
  })
  rewardTransaction(
    @Root() { network, rewardTxHash }: HistoricalReward,
    @Ctx() context: PrimaryContext,
  ): LoadedTransaction {
    return loadTransaction(network, rewardTxHash, context);
  }

  @FieldResolver(() => Subnet, { nullable: true, description: "Subnet. Null if it does not exist." })
  subnet(@Root() { network, subnetId }: HistoricalReward, @Ctx() { load }: PrimaryContext): Promise<Subnet | null> {
    return load.subnet({ network, subnetId });
  }
}

@Resolver(() => PrimaryChainException)
class ExceptionUtxoLink {
  @FieldResolver(() => PrimaryNetworkUtxo, {
    nullable: true,
    description: "Output that the input names. Null if it is not indexed, and for `NO_EFFECT`.",
  })
  utxo(
    @Root() { network, utxoId }: PrimaryChainException,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkUtxo | null> | null {
    return utxoId === null ? null : load.utxo({ network, utxoId });
  }
}

/** The links to transactions and outputs. */
export const TRANSACTION_LINKS = [
  AssetTransactionLink,
  BlockchainTransactionLink,
  SubnetTransactionLinks,
  StakingTransactionLink,
  ValidatorTransactionLink,
  RewardsTransactionLink,
  HistoricalRewardLinks,
  ExceptionUtxoLink,
];
