import { Args, Ctx, FieldResolver, Float, Int, Query, Resolver, Root } from "type-graphql";
import { Quantity } from "../../../core/scalars.ts";
import { NetworkName } from "../../network-name.ts";
import { bytea } from "../../rows.ts";
import type { PrimaryContext } from "../context.ts";
import { DelegatorPage, DelegatorsBelowArgs } from "../delegators/types.ts";
import { nodeIdText, parseIdParameter } from "../ids.ts";
import { HistoricalReward } from "../rewards/types.ts";
import { Subnet } from "../subnets/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { ValidatorNode } from "../validator-nodes/types.ts";
import type { Delegations } from "./delegations.ts";
import { grossReward, shareOfReward } from "./estimates.ts";
import type { Observation } from "./observations.ts";
import { rewardAddresses } from "./shown.ts";
import { percentOf } from "./stake-totals.ts";
import { Validator, ValidatorArgs, ValidatorHealth, ValidatorPage, ValidatorRewards, ValidatorsArgs } from "./types.ts";

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

  @FieldResolver(() => Int, { description: "Delegations to it, also those that ended." })
  async delegatorCount(@Root() validator: Validator, @Ctx() context: PrimaryContext): Promise<number> {
    return (await delegationsOf(validator, context)).count;
  }

  @FieldResolver(() => Quantity, { description: "What was delegated to it, also by those that ended." })
  async amountDelegated(@Root() validator: Validator, @Ctx() context: PrimaryContext): Promise<string> {
    return (await delegationsOf(validator, context)).amount;
  }

  @FieldResolver(() => Int, { description: "Delegations to it that run." })
  async activeDelegatorCount(@Root() validator: Validator, @Ctx() context: PrimaryContext): Promise<number> {
    return (await delegationsOf(validator, context)).activeCount;
  }

  @FieldResolver(() => Quantity, { description: "What is delegated to it now." })
  async activeAmountDelegated(@Root() validator: Validator, @Ctx() context: PrimaryContext): Promise<string> {
    return (await delegationsOf(validator, context)).activeAmount;
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      "Its weight, delegations that run included, in percent of all that is staked on its subnet; null unless it is active.",
  })
  async stakePercentage(@Root() validator: Validator, @Ctx() context: PrimaryContext): Promise<number | null> {
    if (validator.validationStatus !== "active") return null;
    const { networkId, subnetId, weight } = validator.row;
    const [totals, { activeAmount }] = await Promise.all([
      context.stakeTotals.of(networkId),
      delegationsOf(validator, context),
    ]);
    return percentOf(BigInt(weight) + BigInt(activeAmount), totals.get(subnetId) ?? 0n);
  }

  @FieldResolver(() => ValidatorRewards, {
    nullable: true,
    description: "What it will bring if it is found to be up, as things stand; null unless it is active.",
  })
  async potentialRewards(
    @Root() validator: Validator,
    @Ctx() context: PrimaryContext,
  ): Promise<ValidatorRewards | null> {
    if (validator.validationStatus !== "active") return null;
    const { row, isPermissioned, served } = validator;
    const isEstimated = row.potentialReward === null && !isPermissioned;
    const [outlook, { activeRewards }] = await Promise.all([
      isEstimated ? context.load.rewardOutlook({ networkId: row.networkId, subnetId: row.subnetId }) : null,
      delegationsOf(validator, context),
    ]);
    const shares = activeRewards.map((reward) => shareOfReward(reward, row.shares ?? 0));
    const known = BigInt(row.accruedShare) + BigInt(row.paidShare);
    return {
      validationRewardAmount: String(grossReward(row, outlook)),
      delegationRewardAmount: String(shares.reduce((sum, share) => sum + share, known)),
      rewardAddresses: isPermissioned ? null : rewardAddresses(served, row),
      rewardTxHash: null,
    };
  }

  @FieldResolver(() => Float, {
    nullable: true,
    description:
      "Share of its time in which the indexed node was connected to it, in percent; 0 while that node cannot be asked, null unless it is active.",
  })
  async uptimePerformance(@Root() validator: Validator, @Ctx() context: PrimaryContext): Promise<number | null> {
    if (validator.validationStatus !== "active") return null;
    return (await observationOf(validator, context))?.uptimePercent ?? 0;
  }

  @FieldResolver(() => ValidatorHealth, {
    nullable: true,
    description: "How the indexed node gets along with it; null unless it is active.",
  })
  async validatorHealth(@Root() validator: Validator, @Ctx() context: PrimaryContext): Promise<ValidatorHealth | null> {
    if (validator.validationStatus !== "active") return null;
    const seen = await observationOf(validator, context);
    const percent = (is: boolean | undefined) => (is ? 100 : 0);
    return {
      reachabilityPercent: percent(seen?.isConnected),
      benchedPChainRequestsPercent: percent(seen?.benched.has("P")),
      benchedXChainRequestsPercent: percent(seen?.benched.has("X")),
      benchedCChainRequestsPercent: percent(seen?.benched.has("C")),
    };
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
    return load.rewardsOfStaker([row.networkId, bytea(row.nodeId), row.endTimestamp, bytea(row.txHash)]);
  }
}

const NONE = { count: 0, amount: "0", activeCount: 0, activeAmount: "0", activeRewards: [] };

async function delegationsOf(
  { row: { networkId, txHash, isPermissioned } }: Validator,
  { load }: PrimaryContext,
): Promise<Omit<Delegations, "networkId" | "txHash">> {
  return (isPermissioned ? null : await load.delegations({ networkId, txHash })) ?? NONE;
}

function observationOf({ served, row }: Validator, { observations }: PrimaryContext): Promise<Observation | null> {
  return observations.of(served.network, nodeIdText(row.nodeId));
}

/** The validation that another subgraph names. */
export async function resolveValidatorReference(
  key: { readonly network: NetworkName; readonly txHash: string },
  { networks, load }: PrimaryContext,
): Promise<Validator | null> {
  const served = await networks.get(key.network);
  return served && load.validator({ networkId: served.networkId, txHash: parseIdParameter("txHash", key.txHash) });
}
