import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { PrimaryContext } from "../context.ts";
import { DelegatorConnection, SortedDelegatorsBelowArgs } from "../delegators/types.ts";
import { parseNodeIdParameter } from "../identifiers/ids.ts";
import { keyOfList as keyOfL1List } from "../l1-validators/store.ts";
import { L1ValidatorsBelowArgs, NestedL1ValidatorConnection } from "../l1-validators/types.ts";
import { HistoricalRewardConnection, RewardsBelowArgs } from "../rewards/types.ts";
import { keyOfList } from "../stakers/nested-list.ts";
import { parseOrder } from "../stakers/order.ts";
import { SortedValidatorsBelowArgs, ValidatorConnection } from "../validators/types.ts";
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
    description: "Validations of the primary network and of subnets, by default latest start first.",
  })
  validators(
    @Root() node: ValidatorNode,
    @Args(() => SortedValidatorsBelowArgs) args: SortedValidatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<ValidatorConnection> {
    const order = parseOrder(args.orderBy);
    return load.validatorsOfNode(order, [...keyOf(node), ...keyOfList(args.filter?.status, order)], args);
  }

  @FieldResolver(() => DelegatorConnection, { description: "Delegations to the node, by default latest start first." })
  delegators(
    @Root() node: ValidatorNode,
    @Args(() => SortedDelegatorsBelowArgs) args: SortedDelegatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<DelegatorConnection> {
    const order = parseOrder(args.orderBy);
    return load.delegatorsOfNode(order, [...keyOf(node), ...keyOfList(args.filter?.status, order)], args);
  }

  @FieldResolver(() => NestedL1ValidatorConnection, { description: "Validations of L1s, newest first." })
  l1Validators(
    @Root() node: ValidatorNode,
    @Args(() => L1ValidatorsBelowArgs) args: L1ValidatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<NestedL1ValidatorConnection> {
    return load.l1ValidatorsOfNode([...keyOf(node), ...keyOfL1List(args.statuses)], args);
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
