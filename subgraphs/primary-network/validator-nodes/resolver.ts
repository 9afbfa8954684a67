import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { PrimaryContext } from "../context.ts";
import { DelegatorPage, DelegatorsBelowArgs } from "../delegators/types.ts";
import { parseNodeIdParameter } from "../identifiers/ids.ts";
import { L1ValidatorList, L1ValidatorsBelowArgs } from "../l1-validators/types.ts";
import { HistoricalRewardPage, RewardsBelowArgs } from "../rewards/types.ts";
import { ValidatorPage, ValidatorsBelowArgs } from "../validators/types.ts";
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

  @FieldResolver(() => ValidatorPage, {
    description: "Validations of the primary network and of subnets, latest start first.",
  })
  async validators(
    @Root() node: ValidatorNode,
    @Args(() => ValidatorsBelowArgs) args: ValidatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<ValidatorPage> {
    const parent = [...keyOf(node), args.validationStatus ?? ""];
    const { items, nextPageToken } = await load.validatorsOfNode(parent, args);
    return { nextPageToken, validators: items };
  }

  @FieldResolver(() => DelegatorPage, { description: "Delegations to the node, latest start first." })
  async delegators(
    @Root() node: ValidatorNode,
    @Args(() => DelegatorsBelowArgs) args: DelegatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<DelegatorPage> {
    const parent = [...keyOf(node), args.delegationStatus ?? ""];
    const { items, nextPageToken } = await load.delegatorsOfNode(parent, args);
    return { nextPageToken, delegators: items };
  }

  @FieldResolver(() => L1ValidatorList, { description: "Validations of L1s, newest first." })
  async l1Validators(
    @Root() node: ValidatorNode,
    @Args(() => L1ValidatorsBelowArgs) args: L1ValidatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<L1ValidatorList> {
    const parent = [...keyOf(node), String(args.includeInactiveL1Validators ?? false)];
    const { items, nextPageToken } = await load.l1ValidatorsOfNode(parent, args);
    return { nextPageToken, validators: items };
  }

  @FieldResolver(() => HistoricalRewardPage, {
    description: "Rewards of its validations and of the delegations to it, latest end first.",
  })
  async rewards(
    @Root() node: ValidatorNode,
    @Args(() => RewardsBelowArgs) args: RewardsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<HistoricalRewardPage> {
    const { items, nextPageToken } = await load.rewardsOfNode(keyOf(node), args);
    return { nextPageToken, historicalRewards: items };
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
