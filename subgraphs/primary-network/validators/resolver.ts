import { Args, Ctx, FieldResolver, Float, Int, Query, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { bytea } from "../../shared/rows.ts";
import type { PrimaryContext } from "../context.ts";
import { DelegatorPage, DelegatorsBelowArgs } from "../delegators/types.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { OutputOwners } from "../ownership/output-owners.ts";
import { HistoricalReward } from "../rewards/types.ts";
import { Subnet } from "../subnets/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { ValidatorNode } from "../validator-nodes/types.ts";
import { VALIDATOR_FIGURES } from "./computed-fields.ts";
import { Validator, ValidatorArgs, ValidatorHealth, ValidatorPage, ValidatorRewards, ValidatorsArgs } from "./types.ts";

type Figure<Value> = Value | Promise<Value>;

@Resolver(() => Validator)
export class ValidatorResolver {
  @Query(() => ValidatorPage, {
    description: "Validations of the primary network and of subnets, by when they begin. Those of L1s: `l1Validators`.",
  })
  validators(
    @Args(() => ValidatorsArgs) args: ValidatorsArgs,
    @Ctx() { validators }: PrimaryContext,
  ): Promise<ValidatorPage> {
    return validators.page(args);
  }

  @Query(() => Validator, { nullable: true, description: "One validation; null when it is not indexed." })
  async validator(
    @Args(() => ValidatorArgs) { network, txHash }: ValidatorArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<Validator | null> {
    const { networkId } = await networks.find(network);
    return load.validator({ networkId, txHash: parseIdParameter("txHash", txHash) });
  }

  @FieldResolver(() => OutputOwners, {
    nullable: true,
    description: "Who gets the reward for validating; null without rewards.",
  })
  validationRewardOwner(@Root() validator: Validator): OutputOwners | null {
    return VALIDATOR_FIGURES.validationRewardOwner(validator);
  }

  @FieldResolver(() => OutputOwners, {
    nullable: true,
    description: "Who gets its share of its delegators' rewards; null without rewards.",
  })
  delegationRewardOwner(@Root() validator: Validator): OutputOwners | null {
    return VALIDATOR_FIGURES.delegationRewardOwner(validator);
  }

  @FieldResolver(() => Int, { description: "Delegations to it, also those that ended." })
  delegatorCount(@Root() validator: Validator, @Ctx() context: PrimaryContext): Figure<number> {
    return VALIDATOR_FIGURES.delegatorCount(validator, null, context);
  }

  @FieldResolver(() => Quantity, { description: "What was delegated to it, also by those that ended." })
  amountDelegated(@Root() validator: Validator, @Ctx() context: PrimaryContext): Figure<string> {
    return VALIDATOR_FIGURES.amountDelegated(validator, null, context);
  }

  @FieldResolver(() => Int, { description: "Delegations to it that run." })
  activeDelegatorCount(@Root() validator: Validator, @Ctx() context: PrimaryContext): Figure<number> {
    return VALIDATOR_FIGURES.activeDelegatorCount(validator, null, context);
  }

  @FieldResolver(() => Quantity, { description: "What is delegated to it now." })
  activeAmountDelegated(@Root() validator: Validator, @Ctx() context: PrimaryContext): Figure<string> {
    return VALIDATOR_FIGURES.activeAmountDelegated(validator, null, context);
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      "Its weight, delegations that run included, in percent of all that is staked on its subnet; null unless it is active.",
  })
  stakePercentage(@Root() validator: Validator, @Ctx() context: PrimaryContext): Figure<number | null> {
    return VALIDATOR_FIGURES.stakePercentage(validator, null, context);
  }

  @FieldResolver(() => ValidatorRewards, {
    nullable: true,
    description: "What it will bring if it is found to be up, as things stand; null unless it is active.",
  })
  potentialRewards(@Root() validator: Validator, @Ctx() context: PrimaryContext): Figure<ValidatorRewards | null> {
    return VALIDATOR_FIGURES.potentialRewards(validator, null, context);
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      "Share of its time in which the indexed node was connected to it, in percent; 0 while that node cannot be asked, null unless it is active.",
  })
  uptimePerformance(@Root() validator: Validator, @Ctx() context: PrimaryContext): Figure<number | null> {
    return VALIDATOR_FIGURES.uptimePerformance(validator, null, context);
  }

  @FieldResolver(() => ValidatorHealth, {
    nullable: true,
    description: "How the indexed node gets along with it; null unless it is active.",
  })
  validatorHealth(@Root() validator: Validator, @Ctx() context: PrimaryContext): Figure<ValidatorHealth | null> {
    return VALIDATOR_FIGURES.validatorHealth(validator, null, context);
  }

  @FieldResolver(() => Subnet, { nullable: true, description: "The subnet; null while it is not indexed." })
  subnet(@Root() { served, subnetId }: Validator, @Ctx() { load }: PrimaryContext): Promise<Subnet | null> {
    return load.subnet({ network: served.network, subnetId });
  }

  @FieldResolver(() => PrimaryNetworkTransaction, {
    nullable: true,
    description: "The transaction that began it; null of one of the genesis.",
  })
  transaction(
    @Root() { served, txHash }: Validator,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction | null> {
    return load.transaction({ network: served.network, txHash });
  }

  @FieldResolver(() => ValidatorNode, { description: "Its node, with all that it ever validated." })
  node(@Root() { served, nodeId }: Validator): ValidatorNode {
    return { served, network: served.network, nodeId };
  }

  @FieldResolver(() => DelegatorPage, { description: "Delegations to it, the latest first." })
  async delegators(
    @Root() { row }: Validator,
    @Args(() => DelegatorsBelowArgs) args: DelegatorsBelowArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<DelegatorPage> {
    const { networkId, nodeId, txHash, startTimestamp, endTimestamp } = row;
    const parent = [networkId, bytea(nodeId), bytea(txHash), startTimestamp, endTimestamp, args.delegationStatus ?? ""];
    const { items, nextPageToken } = await load.delegatorsOfValidation(parent, args);
    return { nextPageToken, delegators: items };
  }

  @FieldResolver(() => [HistoricalReward], { description: "What was paid when it ended." })
  historicalRewards(@Root() { row }: Validator, @Ctx() { load }: PrimaryContext): Promise<HistoricalReward[]> {
    const { networkId, nodeId, endTimestamp, txHash, nextPeriod } = row;
    // One that is renewed is rewarded at the end of every cycle.
    const firstEnd = nextPeriod === null ? endTimestamp : "0";
    return load.rewardsOfStaker([networkId, bytea(nodeId), firstEnd, endTimestamp, bytea(txHash)]);
  }
}

/** The validation that another subgraph names. */
export async function resolveValidatorReference(
  key: { readonly network: NetworkName; readonly txHash: string },
  { networks, load }: PrimaryContext,
): Promise<Validator | null> {
  const served = await networks.get(key.network);
  return served && load.validator({ networkId: served.networkId, txHash: parseIdParameter("txHash", key.txHash) });
}
