import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { HistoricalReward } from "../rewards/types.ts";
import { grossReward, netReward } from "../stakers/reward-estimates.ts";
import { StakerArgs } from "../stakers/staker-args.ts";
import { Subnet } from "../subnets/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { ValidatorNode } from "../validator-nodes/types.ts";
import { Validator } from "../validators/types.ts";
import { Delegator, DelegatorConnection, DelegatorsArgs } from "./types.ts";

@Resolver(() => Delegator)
export class DelegatorResolver {
  @Query(() => DelegatorConnection, { description: "Delegations, latest start first by default." })
  delegators(
    @Args(() => DelegatorsArgs) args: DelegatorsArgs,
    @Ctx() { delegators, work }: PrimaryContext,
  ): Promise<DelegatorConnection> {
    return delegators.page(args, work);
  }

  @Query(() => Delegator, {
    nullable: true,
    description: "One delegation by its staking transaction. Null if it is not indexed.",
  })
  async delegator(
    @Args(() => StakerArgs) { network, txHash }: StakerArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<Delegator | null> {
    const { networkId } = await networks.require(network, "P");
    return load.delegator({ networkId, txHash: parseIdParameter("txHash", txHash) });
  }

  @FieldResolver(() => Quantity, {
    description:
      "Reward including the validator's share. Until the delegation is completed, it is the potential reward. It is 0 if the delegation was completed without a reward.",
  })
  async grossReward(@Root() delegator: Delegator, @Ctx() context: PrimaryContext): Promise<string> {
    return String((await rewardOf(delegator, context)).gross);
  }

  @FieldResolver(() => Quantity, {
    description:
      "Reward without the validator's share. Until the delegation is completed, it is the potential reward. It is 0 if the delegation was completed without a reward.",
  })
  async netReward(@Root() delegator: Delegator, @Ctx() context: PrimaryContext): Promise<string> {
    return String((await rewardOf(delegator, context)).net);
  }

  @FieldResolver(() => Quantity, {
    nullable: true,
    description: "Potential reward including the validator's share. Null if the delegation is completed.",
  })
  async estimatedGrossReward(@Root() delegator: Delegator, @Ctx() context: PrimaryContext): Promise<string | null> {
    return delegator.delegationStatus === "completed" ? null : this.grossReward(delegator, context);
  }

  @FieldResolver(() => Quantity, {
    nullable: true,
    description: "Potential reward without the validator's share. Null if the delegation is completed.",
  })
  async estimatedNetReward(@Root() delegator: Delegator, @Ctx() context: PrimaryContext): Promise<string | null> {
    return delegator.delegationStatus === "completed" ? null : this.netReward(delegator, context);
  }

  @FieldResolver(() => Validator, { nullable: true, description: "Validation that the delegation belongs to." })
  async validator(@Root() { row }: Delegator, @Ctx() { load }: PrimaryContext): Promise<Validator | null> {
    const { networkId, validatorTxHash } = row;
    return validatorTxHash === null ? null : load.validator({ networkId, txHash: validatorTxHash });
  }

  @FieldResolver(() => Subnet, { nullable: true, description: "Subnet. Null if it does not exist." })
  subnet(@Root() { served, subnetId }: Delegator, @Ctx() { load }: PrimaryContext): Promise<Subnet | null> {
    return load.subnet({ network: served.network, subnetId });
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "Staking transaction. Null for a delegation of the genesis.",
  })
  transaction(
    @Root() { served, txHash }: Delegator,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> {
    return load.transaction({ network: served.network, txHash });
  }

  @FieldResolver(() => ValidatorNode, { description: "Node, with all its validations." })
  node(@Root() { served, nodeId }: Delegator): ValidatorNode {
    return { served, network: served.network, nodeId };
  }

  @FieldResolver(() => [HistoricalReward], { description: "Rewards that were paid for the delegation." })
  historicalRewards(@Root() { row }: Delegator, @Ctx() { load }: PrimaryContext): Promise<HistoricalReward[]> {
    const { networkId, nodeId, endTimestamp, txHash } = row;
    return load.rewardsOfStaker([networkId, bytea(nodeId), endTimestamp, endTimestamp, bytea(txHash)]);
  }
}

interface Reward {
  readonly gross: bigint;
  readonly net: bigint;
}

async function rewardOf({ row, delegationStatus }: Delegator, { load }: PrimaryContext): Promise<Reward> {
  if (delegationStatus === "completed" && row.isRewarded !== true) return { gross: 0n, net: 0n };
  const { networkId, subnetId, potentialReward } = row;
  const gross = grossReward(row, potentialReward === null ? await load.rewardOutlook({ networkId, subnetId }) : null);
  if (delegationStatus === "completed") return { gross, net: BigInt(row.paidReward) };
  return { gross, net: netReward(gross, row.validatorShares ?? 0) };
}

/** Resolves a federated reference to a delegation. */
export async function resolveDelegatorReference(
  key: { readonly network: NetworkName; readonly txHash: string },
  { networks, load }: PrimaryContext,
): Promise<Delegator | null> {
  const served = await networks.get(key.network, "P");
  return served && load.delegator({ networkId: served.networkId, txHash: parseIdParameter("txHash", key.txHash) });
}
