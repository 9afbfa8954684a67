import { Args, Ctx, FieldResolver, Float, Int, Query, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { bytea } from "../../shared/rows/text-rows.ts";
import { LoadsAll } from "../../shared/schema/load-all.ts";
import { type Loaded, withValue } from "../../shared/schema/loaded.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import type { PrimaryContext } from "../context.ts";
import { DelegatorConnection, DelegatorsBelowArgs } from "../delegators/types.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { OutputOwners, parseOwners } from "../ownership/output-owners.ts";
import { HistoricalReward } from "../rewards/types.ts";
import { keyOfList } from "../stakers/nested-list.ts";
import { StakerArgs } from "../stakers/staker-args.ts";
import { Subnet } from "../subnets/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { ValidatorNode } from "../validator-nodes/types.ts";
import { delegationCapacity, healthOf, potentialRewards, stakePercentage } from "./estimates.ts";
import {
  delegationsOf,
  isActive,
  loadDelegations,
  loadObservations,
  loadRewardOutlooks,
  loadStakeTotals,
  observationOf,
} from "./loads.ts";
import { Validator, ValidatorConnection, ValidatorHealth, ValidatorRewards, ValidatorsArgs } from "./types.ts";

@Resolver(() => Validator)
export class ValidatorResolver {
  @Query(() => ValidatorConnection, {
    description:
      "Validations of the primary network and of subnets, latest start first by default. For validators of L1s, see `l1Validators`.",
  })
  validators(
    @Args(() => ValidatorsArgs) args: ValidatorsArgs,
    @Ctx() { validators, work }: PrimaryContext,
  ): Promise<ValidatorConnection> {
    return validators.page(args, work);
  }

  @Query(() => Validator, {
    nullable: true,
    description: "One validation by its staking transaction. Null if it is not indexed.",
  })
  async validator(
    @Args(() => StakerArgs) { network, txHash }: StakerArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<Validator | null> {
    const { networkId } = await networks.require(network, "P");
    return load.validator({ networkId, txHash: parseIdParameter("txHash", txHash) });
  }

  @FieldResolver(() => OutputOwners, {
    nullable: true,
    description: "Owner of the validation reward. Null if the validation earns no rewards.",
  })
  validationRewardOwner(@Root() { served, row }: Validator): OutputOwners | null {
    return row.rewardOwner === null ? null : parseOwners(served, row.rewardOwner);
  }

  @FieldResolver(() => OutputOwners, {
    nullable: true,
    description: "Owner of the delegation fees. Null if the validation earns no rewards.",
  })
  delegationRewardOwner(@Root() { served, row }: Validator): OutputOwners | null {
    return row.shareOwner === null ? null : parseOwners(served, row.shareOwner);
  }

  @FieldResolver(() => Int, { description: "Number of delegations, including ended ones." })
  @LoadsAll(loadDelegations)
  delegatorCount(@Root() validator: Validator, @Ctx() context: PrimaryContext): Loaded<number> {
    return withValue(delegationsOf(validator, context), ({ count }) => count);
  }

  @FieldResolver(() => Quantity, { description: "Total delegated amount, including ended delegations." })
  @LoadsAll(loadDelegations)
  amountDelegated(@Root() validator: Validator, @Ctx() context: PrimaryContext): Loaded<string> {
    return withValue(delegationsOf(validator, context), ({ amount }) => amount);
  }

  @FieldResolver(() => Int, { description: "Number of active delegations." })
  @LoadsAll(loadDelegations)
  activeDelegatorCount(@Root() validator: Validator, @Ctx() context: PrimaryContext): Loaded<number> {
    return withValue(delegationsOf(validator, context), ({ activeCount }) => activeCount);
  }

  @FieldResolver(() => Quantity, { description: "Total amount of active delegations." })
  @LoadsAll(loadDelegations)
  activeAmountDelegated(@Root() validator: Validator, @Ctx() context: PrimaryContext): Loaded<string> {
    return withValue(delegationsOf(validator, context), ({ activeAmount }) => activeAmount);
  }

  @FieldResolver(() => Quantity, {
    nullable: true,
    description:
      "Stake that can still be delegated after the last indexed block, in nAVAX. With all delegations, a validator may have five times its own weight, and at most the network's maximum (3,000,000 AVAX on mainnet and Fuji; the setting `primaryNetworks[].rewards.maxValidatorStake` on other networks). It grows when delegations end. Delegations that have not begun, which exist only before the Durango upgrade, count as if they had begun. A delegation must also have the network's minimum stake and duration, and end before the validation. Null unless the status is `ACTIVE` and the subnet is the primary network.",
  })
  @LoadsAll(loadDelegations)
  delegationCapacity(@Root() validator: Validator, @Ctx() context: PrimaryContext): Loaded<string | null> {
    return isActive(validator) && !validator.isPermissioned ? delegationCapacity(validator, context) : null;
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      "Weight including active delegations, in percent of the total weight of the subnet. Null unless the status is `ACTIVE`.",
  })
  @LoadsAll(loadStakeTotals, loadDelegations)
  stakePercentage(@Root() validator: Validator, @Ctx() context: PrimaryContext): Loaded<number | null> {
    return isActive(validator) ? stakePercentage(validator, context) : null;
  }

  @FieldResolver(() => ValidatorRewards, {
    nullable: true,
    description:
      "Rewards that the validation earns if the uptime requirement is met; for an auto-renewed validator, the rewards of the current cycle. They include the validator's share of the rewards of all delegations so far. Null unless the status is `ACTIVE`.",
  })
  @LoadsAll(loadRewardOutlooks, loadDelegations)
  potentialRewards(@Root() validator: Validator, @Ctx() context: PrimaryContext): Loaded<ValidatorRewards | null> {
    return isActive(validator) ? potentialRewards(validator, context) : null;
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      "How long the validator was connected to the indexed node (the first in the settings that answers, of those from which this network is indexed), in percent of the time since its staking period on the primary network began. A subnet validation has the same value as the primary network validation of the same validator. 0 while the indexed node does not respond. Null unless the status is `ACTIVE`.",
  })
  @LoadsAll(loadObservations)
  uptimePerformance(@Root() validator: Validator, @Ctx() context: PrimaryContext): Loaded<number | null> {
    if (!isActive(validator)) return null;
    return withValue(observationOf(validator, context), (observed) => observed?.uptimePercent ?? 0);
  }

  @FieldResolver(() => ValidatorHealth, {
    nullable: true,
    description:
      "Current connection of the indexed node (the first in the settings that answers, of those from which this network is indexed) to the validator. Null unless the status is `ACTIVE`.",
  })
  @LoadsAll(loadObservations)
  validatorHealth(@Root() validator: Validator, @Ctx() context: PrimaryContext): Loaded<ValidatorHealth | null> {
    return isActive(validator) ? withValue(observationOf(validator, context), healthOf) : null;
  }

  @FieldResolver(() => Subnet, { nullable: true, description: "Subnet. Null if it does not exist." })
  subnet(@Root() { served, subnetId }: Validator, @Ctx() { load }: PrimaryContext): Promise<Subnet | null> {
    return load.subnet({ network: served.network, subnetId });
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "Staking transaction. Null for a validation of the genesis.",
  })
  transaction(
    @Root() { served, txHash }: Validator,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> {
    return load.transaction({ network: served.network, txHash });
  }

  @FieldResolver(() => ValidatorNode, { description: "Node, with all its validations." })
  node(@Root() { served, nodeId }: Validator): ValidatorNode {
    return { served, network: served.network, nodeId };
  }

  @FieldResolver(() => DelegatorConnection, { description: "Delegations, latest start first." })
  delegators(
    @Root() { row }: Validator,
    @Args(() => DelegatorsBelowArgs) args: DelegatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<DelegatorConnection> {
    const { networkId, nodeId, txHash, startTimestamp, endTimestamp } = row;
    const parent = [
      networkId,
      bytea(nodeId),
      bytea(txHash),
      startTimestamp,
      endTimestamp,
      ...keyOfList(args.filter?.status),
    ];
    return load.delegatorsOfValidation(parent, args);
  }

  @FieldResolver(() => [HistoricalReward], { description: "Rewards that were paid for the validation." })
  historicalRewards(@Root() { row }: Validator, @Ctx() { load }: PrimaryContext): Promise<HistoricalReward[]> {
    const { networkId, nodeId, endTimestamp, txHash, nextPeriod } = row;
    // An auto-renewed validation is rewarded at the end of every cycle.
    const firstEnd = nextPeriod === null ? endTimestamp : "0";
    return load.rewardsOfStaker([networkId, bytea(nodeId), firstEnd, endTimestamp, bytea(txHash)]);
  }
}

/** Resolves a federated reference to a validation. */
export async function resolveValidatorReference(
  key: { readonly network: NetworkName; readonly txHash: string },
  { networks, load }: PrimaryContext,
): Promise<Validator | null> {
  const served = await networks.get(key.network, "P");
  return served && load.validator({ networkId: served.networkId, txHash: parseIdParameter("txHash", key.txHash) });
}
