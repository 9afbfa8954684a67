import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { PrimaryContext } from "../context.ts";
import { DelegatorConnection, DelegatorsBelowArgs } from "../delegators/types.ts";
import { parseNodeIdParameter } from "../identifiers/ids.ts";
import { L1ValidatorsBelowArgs, NestedL1ValidatorConnection } from "../l1-validators/types.ts";
import { HistoricalRewardConnection, RewardsBelowArgs } from "../rewards/types.ts";
import { ValidatorConnection, ValidatorsBelowArgs } from "../validators/types.ts";
import { ValidatorNode, ValidatorNodeArgs } from "./types.ts";

@Resolver(() => ValidatorNode)
export class ValidatorNodeResolver {
  @Query(() => ValidatorNode, {
    description: "A node in its role as validator. A node that never validated has empty lists.",
  })
  async validatorNode(
    @Args(() => ValidatorNodeArgs) args: ValidatorNodeArgs,
    @Ctx() { networks }: PrimaryContext,
  ): Promise<ValidatorNode> {
    const served = await networks.require(args.network, "P");
    return { served, network: served.network, nodeId: parseNodeIdParameter("nodeId", args.nodeId) };
  }

  @FieldResolver(() => ValidatorConnection, {
    description: "Validations of the primary network and of subnets, latest start first.",
  })
  validators(
    @Root() node: ValidatorNode,
    @Args(() => ValidatorsBelowArgs) args: ValidatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<ValidatorConnection> {
    const parent = [...keyOf(node), args.filter?.status ?? ""];
    return load.validatorsOfNode(parent, args);
  }

  @FieldResolver(() => DelegatorConnection, { description: "Delegations to the node, latest start first." })
  delegators(
    @Root() node: ValidatorNode,
    @Args(() => DelegatorsBelowArgs) args: DelegatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<DelegatorConnection> {
    const parent = [...keyOf(node), args.filter?.status ?? ""];
    return load.delegatorsOfNode(parent, args);
  }

  @FieldResolver(() => NestedL1ValidatorConnection, { description: "Validations of L1s, newest first." })
  l1Validators(
    @Root() node: ValidatorNode,
    @Args(() => L1ValidatorsBelowArgs) args: L1ValidatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<NestedL1ValidatorConnection> {
    const parent = [...keyOf(node), args.statuses];
    return load.l1ValidatorsOfNode(parent, args);
  }

  @FieldResolver(() => HistoricalRewardConnection, {
    description: "Rewards of its validations and of the delegations to it, latest end first.",
  })
  rewards(
    @Root() node: ValidatorNode,
    @Args(() => RewardsBelowArgs) args: RewardsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<HistoricalRewardConnection> {
    return load.rewardsOfNode(keyOf(node), args);
  }
}

const keyOf = ({ served, nodeId }: ValidatorNode): string[] => [served.networkId, bytea(nodeId)];

/** Resolves a federated reference to a node. */
export async function resolveValidatorNodeReference(
  key: { readonly nodeId: string },
  { networks, load }: PrimaryContext,
): Promise<ValidatorNode | null> {
  const nodeId = parseNodeIdParameter("nodeId", key.nodeId);
  const served = (await load.nodeInNetwork({ nodeId }))?.served;
  if (!served) return null;
  await networks.requireIndexed(served, "P");
  return { served, network: served.network, nodeId };
}
