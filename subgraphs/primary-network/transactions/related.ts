import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { Blockchain } from "../blockchains/types.ts";
import { PrimaryNetworkBlock } from "../blocks/types.ts";
import type { PrimaryContext } from "../context.ts";
import { UtxoCredential } from "../credentials/types.ts";
import { Delegator } from "../delegators/types.ts";
import { L1Validator } from "../l1-validators/types.ts";
import { Subnet } from "../subnets/types.ts";
import { ValidatorNode } from "../validator-nodes/types.ts";
import { Validator } from "../validators/types.ts";
import { XChainVertex } from "../vertices/types.ts";
import { EvmInput, L1ValidatorDetailsTransaction } from "./part-types.ts";
import { PrimaryNetworkTransaction } from "./types.ts";

/** Entities that a transaction refers to. */
@Resolver(() => PrimaryNetworkTransaction)
export class RelatedEntitiesResolver {
  @FieldResolver(() => PrimaryNetworkBlock, {
    nullable: true,
    description:
      "Block that contains it. Null for a transaction in a vertex. Also null on the C-Chain if the node from which this network is indexed does not provide C-Chain blocks through its index API.",
  })
  block(
    @Root() { network, chain, blockNumber }: PrimaryNetworkTransaction,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkBlock | null> | null {
    return blockNumber === null ? null : load.primaryBlockByNumber({ network, chain, blockNumber });
  }

  @FieldResolver(() => XChainVertex, {
    nullable: true,
    description: "Vertex that contains it. Null for a transaction in a block.",
  })
  vertex(
    @Root() { network, vertices }: PrimaryNetworkTransaction,
    @Ctx() { load }: PrimaryContext,
  ): Promise<XChainVertex | null> | null {
    const [vertex] = vertices ?? [];
    return vertex ? load.vertex({ network, vertexHash: vertex.hash }) : null;
  }

  @FieldResolver(() => Subnet, { nullable: true, description: "Subnet that the transaction concerns." })
  subnet(
    @Root() { network, subnetId }: PrimaryNetworkTransaction,
    @Ctx() { load }: PrimaryContext,
  ): Promise<Subnet | null> | null {
    return subnetId === null ? null : load.subnet({ network, subnetId });
  }

  @FieldResolver(() => Blockchain, { nullable: true, description: "Blockchain that the transaction creates." })
  blockchain(
    @Root() { network, blockchainInfo, txHash }: PrimaryNetworkTransaction,
    @Ctx() { load }: PrimaryContext,
  ): Promise<Blockchain | null> | null {
    return blockchainInfo === null ? null : load.blockchain({ network, blockchainId: txHash });
  }

  @FieldResolver(() => ValidatorNode, { nullable: true, description: "Node that the transaction concerns." })
  async node(
    @Root() { network, nodeId }: PrimaryNetworkTransaction,
    @Ctx() { networks }: PrimaryContext,
  ): Promise<ValidatorNode | null> {
    return nodeId === null ? null : { served: await networks.require(network), network, nodeId };
  }

  @FieldResolver(() => Validator, {
    nullable: true,
    description:
      "Validation that the transaction starts, or whose reward it decides. Null for other transactions, such as a RemoveSubnetValidatorTx.",
  })
  async validator(
    @Root() { network, txHash, stakingTxHash, endTimestamp }: PrimaryNetworkTransaction,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<Validator | null> {
    if (endTimestamp === null) return null;
    const { networkId } = await networks.require(network);
    return load.validator({ networkId, txHash: stakingTxHash ?? txHash });
  }

  @FieldResolver(() => Delegator, {
    nullable: true,
    description: "Delegation that the transaction starts, or whose reward it decides. Null for other transactions.",
  })
  async delegator(
    @Root() { network, txHash, stakingTxHash, endTimestamp }: PrimaryNetworkTransaction,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<Delegator | null> {
    if (endTimestamp === null) return null;
    const { networkId } = await networks.require(network);
    return load.delegator({ networkId, txHash: stakingTxHash ?? txHash });
  }
}

@Resolver(() => L1ValidatorDetailsTransaction)
export class L1ValidatorDetailsResolver {
  @FieldResolver(() => L1Validator, { nullable: true, description: "Current state of the validator." })
  async l1Validator(
    @Root() { network, validationId }: L1ValidatorDetailsTransaction,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<L1Validator | null> {
    const { networkId } = await networks.require(network);
    return load.l1Validator({ networkId, validationId });
  }
}

@Resolver(() => EvmInput)
export class EvmInputResolver {
  @FieldResolver(() => [UtxoCredential], {
    description:
      "Signature of the account's owner, as a list with one entry. Empty if the raw block cannot be read, for example if no entry of `evmChains` has the blockchain ID of the C-Chain.",
  })
  async credentials(@Root() { spent }: EvmInput, @Ctx() { load }: PrimaryContext): Promise<readonly UtxoCredential[]> {
    const found = await load.credentials(spent);
    return found?.credentials ?? [];
  }
}
