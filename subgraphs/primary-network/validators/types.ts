import { ArgsType, Directive, Field, Float, InputType, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { BlsCredentials } from "../credentials/bls-credentials.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { ValidatorOrder } from "../stakers/order.ts";
import type { StakerRow } from "../stakers/rows.ts";
import { ValidationStatus } from "../stakers/status.ts";
import type { StakerTotals } from "../stakers/totals.ts";

@ObjectType({ description: "Rewards of a validation." })
export class ValidatorRewards {
  network!: NetworkName;

  @Field(() => Quantity, { description: "Reward for validating." })
  validationRewardAmount!: string;

  @Field(() => Quantity, { description: "Share of the delegators' rewards." })
  delegationRewardAmount!: string;

  @Field(() => [String], {
    nullable: true,
    description:
      "Bech32 addresses of the owners of both rewards, without duplicates. Null if the validation earns no rewards.",
  })
  rewardAddresses!: readonly string[] | null;

  @Field(() => Id, {
    nullable: true,
    description:
      "Transaction that decided on the rewards. For an auto-renewed validator, the transaction that decided on the rewards of its last cycle. Null if there is none.",
  })
  rewardTxHash!: string | null;
}

@ObjectType({
  description:
    "Current connection of the indexed node (the first in the settings that answers, of those from which this network is indexed) to the validator. Each value is 0 or 100. All are 0 while the indexed node does not respond.",
})
export class ValidatorHealth {
  @Field(() => Float, { description: "100 while the indexed node is connected to the validator." })
  reachabilityPercent!: number;

  @Field(() => Float, { description: "100 while the validator is benched on the P-Chain." })
  benchedPChainRequestsPercent!: number;

  @Field(() => Float, { description: "100 while the validator is benched on the X-Chain." })
  benchedXChainRequestsPercent!: number;

  @Field(() => Float, { description: "100 while the validator is benched on the C-Chain." })
  benchedCChainRequestsPercent!: number;
}

@ObjectType({ description: "Location of a node." })
class Geolocation {
  @Field(() => String, { description: "City." })
  city!: string;

  @Field(() => String, { description: "Country." })
  country!: string;

  @Field(() => String, { description: "Two-letter country code." })
  countryCode!: string;

  @Field(() => Float, { description: "Latitude in degrees." })
  latitude!: number;

  @Field(() => Float, { description: "Longitude in degrees." })
  longitude!: number;
}

@ObjectType({
  description:
    "A validation: one staking period of a node on the primary network or on a subnet. An auto-renewed validator (ACP-236) is one validation, with the times, stake and delegations of its current or last cycle.",
})
@Directive('@key(fields: "network txHash")')
export class Validator {
  /** The row from which the object was built. */
  row!: StakerRow;
  served!: ServedNetwork;

  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "ID of the staking transaction." })
  txHash!: string;

  @Field(() => NodeId, { description: "Node ID." })
  nodeId!: string;

  @Field(() => Id, { description: "Subnet ID. The ID of the primary network is all zeros." })
  subnetId!: string;

  @Field(() => Quantity, {
    description: "Stake in the smallest unit of the staked asset. 0 for a validator of a permissioned subnet.",
  })
  amountStaked!: string;

  @Field(() => Quantity, { description: "Weight in the subnet, without delegations." })
  weight!: string;

  @Field(() => Boolean, {
    description: "True for a validator of a permissioned subnet. Such a validator has no stake and earns no rewards.",
  })
  isPermissioned!: boolean;

  @Field(() => String, {
    nullable: true,
    description: "Delegation fee in percent, such as `2` or `3.5`. Null if delegation is impossible.",
  })
  delegationFee!: string | null;

  @Field(() => Timestamp, { description: "Start time." })
  startTimestamp!: string;

  @Field(() => Timestamp, { description: "Scheduled end time." })
  endTimestamp!: string;

  @Field(() => BlsCredentials, {
    nullable: true,
    description: "BLS public key. Null if the validator registered none.",
  })
  blsCredentials!: BlsCredentials | null;

  @Field(() => ValidationStatus, { description: "Current status." })
  validationStatus!: ValidationStatus;

  @Field(() => ValidatorRewards, {
    nullable: true,
    description: "Rewards that were paid. Null unless the status is `COMPLETED`.",
  })
  rewards!: ValidatorRewards | null;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Own rewards that the validator has staked again so far. They are part of `amountStaked` until the stake ends, and then they are paid. Null unless the validator is auto-renewed.",
  })
  restakedReward!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "The validator's share of the rewards of its delegators that it has staked again so far, like `restakedReward`.",
  })
  restakedDelegationFees!: string | null;

  @Field(() => Id, {
    nullable: true,
    description: "Transaction that removed the validator from its subnet. Null unless the status is `REMOVED`.",
  })
  removeTxHash!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Time of the removal. Null unless the status is `REMOVED`." })
  removeTimestamp!: string | null;

  @RestOnly()
  @Field(() => Geolocation, { nullable: true, description: "Always null: this service has no location data." })
  geolocation!: Geolocation | null;
}

@ObjectType({ description: "A page of validations." })
export class ValidatorConnection extends Connection(Validator, "Validations, latest start first by default.") {
  /** Absent below other objects. Null: no counter has them. */
  totals?: () => Promise<StakerTotals | null>;
}

@InputType({ description: "Filter of validations. Items fulfil all conditions." })
class ValidatorFilter {
  @Field(() => [String], {
    nullable: true,
    description: "Filter by node: up to 200 node IDs. Absent or empty: every node.",
  })
  nodeIds?: string[] | null;

  @Field(() => String, { nullable: true, description: "Filter by subnet: a subnet ID, as CB58 or hex." })
  subnetId?: string | null;

  @Field(() => ValidationStatus, { nullable: true, description: "Filter by status. Default: every status." })
  status?: ValidationStatus | null;
}

@ArgsType()
export class ValidatorsArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => ValidatorFilter, { nullable: true, description: "Which validations. Absent: all." })
  filter?: ValidatorFilter | null;

  @Field(() => ValidatorOrder, {
    nullable: true,
    description:
      "Order of the list. Default: latest start first. No order by uptime is offered: the indexed node observes it, and it is read from there with each answer.",
  })
  orderBy?: ValidatorOrder | null;
}

@InputType({ description: "Filter of the validations of a subnet or node." })
class NestedValidatorFilter {
  @Field(() => ValidationStatus, { nullable: true, description: "Filter by status. Default: every status." })
  status?: ValidationStatus | null;
}

/** Arguments of a nested list of validations, latest start first. */
@ArgsType()
export class ValidatorsBelowArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NestedValidatorFilter, { nullable: true, description: "Which validations. Absent: all." })
  filter?: NestedValidatorFilter | null;
}

/** Arguments of a nested list of validations that can be sorted. */
@ArgsType()
export class SortedValidatorsBelowArgs extends ValidatorsBelowArgs {
  @Field(() => ValidatorOrder, { nullable: true, description: "Order of the list. Default: latest start first." })
  orderBy?: ValidatorOrder | null;
}
