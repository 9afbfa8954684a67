import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import { PrimaryNetworkBlock, ProposerDetails } from "../blocks/types.ts";
import type { PrimaryContext } from "../context.ts";
import { Delegator } from "../delegators/types.ts";
import { Subnet } from "../subnets/types.ts";
import { L1ValidatorDetailsTransaction } from "../transactions/part-types.ts";
import { PrimaryNetworkUtxo } from "../utxos/types.ts";
import { ValidatorNode } from "../validator-nodes/types.ts";
import { Validator } from "../validators/types.ts";

/** The node of an ID, without a read; null without an ID. */
async function nodeOf(
  network: NetworkName,
  nodeId: string | null,
  { networks }: PrimaryContext,
): Promise<ValidatorNode | null> {
  return nodeId === null ? null : { served: await networks.require(network), network, nodeId };
}

@Resolver(() => PrimaryNetworkBlock)
class BlockNodeLink {
  @FieldResolver(() => ValidatorNode, { nullable: true, description: "Proposer. Null if `nodeId` is null." })
  node(
    @Root() { network, nodeId }: PrimaryNetworkBlock,
    @Ctx() context: PrimaryContext,
  ): Promise<ValidatorNode | null> {
    return nodeOf(network, nodeId, context);
  }
}

@Resolver(() => ProposerDetails)
class ProposerNodeLink {
  @FieldResolver(() => ValidatorNode, { nullable: true, description: "The node. Null if `proposerNodeId` is null." })
  proposerNode(
    @Root() { network, proposerNodeId }: ProposerDetails,
    @Ctx() context: PrimaryContext,
  ): Promise<ValidatorNode | null> {
    return nodeOf(network, proposerNodeId, context);
  }
}

@Resolver(() => L1ValidatorDetailsTransaction)
class L1DetailsLinks {
  @FieldResolver(() => ValidatorNode, { nullable: true, description: "The node." })
  node(
    @Root() { network, nodeId }: L1ValidatorDetailsTransaction,
    @Ctx() context: PrimaryContext,
  ): Promise<ValidatorNode | null> {
    return nodeOf(network, nodeId, context);
  }

  @FieldResolver(() => Subnet, { nullable: true, description: "Subnet of the L1." })
  subnet(
    @Root() { network, subnetId }: L1ValidatorDetailsTransaction,
    @Ctx() { load }: PrimaryContext,
  ): Promise<Subnet | null> {
    return load.subnet({ network, subnetId });
  }
}

/** The stake that an output is a part of. */
@Resolver(() => PrimaryNetworkUtxo)
class UtxoStakeLinks {
  @FieldResolver(() => Validator, {
    nullable: true,
    description:
      "Validation for which the output is or was staked, or that it rewards. Null for other outputs, and for a reward of one cycle of an auto-renewed validator.",
  })
  async validator(
    @Root() { network, txHash, staked, rewardType }: PrimaryNetworkUtxo,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<Validator | null> {
    if (!staked && rewardType === null) return null;
    const { networkId } = await networks.require(network);
    return load.validator({ networkId, txHash });
  }

  @FieldResolver(() => Delegator, {
    nullable: true,
    description:
      "Delegation for which the output is or was staked, or that it rewards. Null for other outputs, and for a reward of one cycle of an auto-renewed validator.",
  })
  async delegator(
    @Root() { network, txHash, staked, rewardType }: PrimaryNetworkUtxo,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<Delegator | null> {
    if (!staked && rewardType === null) return null;
    const { networkId } = await networks.require(network);
    return load.delegator({ networkId, txHash });
  }
}

/** The links to nodes, stakes and subnets. */
export const STAKING_LINKS = [BlockNodeLink, ProposerNodeLink, L1DetailsLinks, UtxoStakeLinks];
