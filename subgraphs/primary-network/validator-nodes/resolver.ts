import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows.ts";
import type { PrimaryContext } from "../context.ts";
import { DelegatorPage, DelegatorsBelowArgs } from "../delegators/types.ts";
import { parseNodeIdParameter } from "../identifiers/ids.ts";
import { L1ValidatorList, L1ValidatorsBelowArgs } from "../l1-validators/types.ts";
import { HistoricalRewardPage, RewardsBelowArgs } from "../rewards/types.ts";
import { ValidatorPage, ValidatorsBelowArgs } from "../validators/types.ts";
import { ValidatorNode, ValidatorNodeArgs } from "./types.ts";

@Resolver(() => ValidatorNode)
export class ValidatorNodeResolver {
  @Query(() => ValidatorNode, { description: "A node as a validator, whether it ever validated anything or not." })
  async validatorNode(
    @Args(() => ValidatorNodeArgs) args: ValidatorNodeArgs,
    @Ctx() { networks }: PrimaryContext,
  ): Promise<ValidatorNode> {
    const served = await networks.find(args.network);
    return { served, network: served.network, nodeId: parseNodeIdParameter("nodeId", args.nodeId) };
  }

  @FieldResolver(() => ValidatorPage, {
    description: "Its validations of the primary network and of subnets, the latest first.",
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

  @FieldResolver(() => DelegatorPage, { description: "All delegations to it, the latest first." })
  async delegators(
    @Root() node: ValidatorNode,
    @Args(() => DelegatorsBelowArgs) args: DelegatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<DelegatorPage> {
    const parent = [...keyOf(node), args.delegationStatus ?? ""];
    const { items, nextPageToken } = await load.delegatorsOfNode(parent, args);
    return { nextPageToken, delegators: items };
  }

  @FieldResolver(() => L1ValidatorList, { description: "Its validations of L1s, the newest first." })
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
    description: "Rewards of its validations and of all delegations to it, those of the latest end first.",
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

/** The node that another subgraph names. */
export async function resolveValidatorNodeReference(
  key: { readonly nodeId: string },
  { load }: PrimaryContext,
): Promise<ValidatorNode | null> {
  const nodeId = parseNodeIdParameter("nodeId", key.nodeId);
  const served = (await load.placedNode({ nodeId }))?.served;
  return served ? { served, network: served.network, nodeId } : null;
}
