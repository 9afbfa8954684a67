import { ArgsType, Directive, Field, Float, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Quantity, Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { BlsCredentials } from "../credentials/bls-credentials.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/store.ts";
import { SortOrder } from "../paging/sort-order.ts";
import type { StakerRow } from "../stakers/rows.ts";
import { ValidationStatus } from "../stakers/status.ts";
import type { Delegations } from "./delegations.ts";
import type { Observation } from "./observations.ts";

@ObjectType({ description: "What a validation brings its owners.", simpleResolvers: true })
export class ValidatorRewards {
  @Field(() => Quantity, { description: "For validating." })
  validationRewardAmount!: string;

  @Field(() => Quantity, { description: "Its share of what its delegators get." })
  delegationRewardAmount!: string;

  @Field(() => [String], {
    nullable: true,
    description: "Owners of both, each once; null where there are no rewards.",
  })
  rewardAddresses!: string[] | null;

  @Field(() => Id, {
    nullable: true,
    description: "The transaction that decided on them; null before, and where there are none.",
  })
  rewardTxHash!: string | null;
}

@ObjectType({
  description:
    "How the indexed node gets along with a validator's node, at the moment: in percent, either 0 or 100. 0 everywhere while the node cannot be asked.",
  simpleResolvers: true,
})
export class ValidatorHealth {
  @Field(() => Float, { description: "100 while they are connected." })
  reachabilityPercent!: number;

  @Field(() => Float, { description: "100 while requests of the P-Chain are kept from it." })
  benchedPChainRequestsPercent!: number;

  @Field(() => Float, { description: "100 while requests of the X-Chain are kept from it." })
  benchedXChainRequestsPercent!: number;

  @Field(() => Float, { description: "100 while requests of the C-Chain are kept from it." })
  benchedCChainRequestsPercent!: number;
}

@ObjectType({ description: "Where a node stands.", simpleResolvers: true })
export class Geolocation {
  @Field(() => String, { description: "City." })
  city!: string;

  @Field(() => String, { description: "Country." })
  country!: string;

  @Field(() => String, { description: "Country, as two letters." })
  countryCode!: string;

  @Field(() => Float, { description: "Degrees north." })
  latitude!: number;

  @Field(() => Float, { description: "Degrees east." })
  longitude!: number;
}

@ObjectType({
  description: "One validation: a node's staking on the primary network or on a subnet, from its start to its end.",
  simpleResolvers: true,
})
@Directive('@key(fields: "network txHash")')
export class Validator {
  /** What was read of it, and its network. */
  row!: StakerRow;
  served!: ServedNetwork;

  /** What was asked for it, once for all fields. */
  delegations?: Promise<Delegations | null>;
  observation?: Promise<Observation | null>;

  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;

  @Field(() => Id, { description: "The transaction that began it." })
  txHash!: string;

  @Field(() => NodeId, { description: "The node." })
  nodeId!: string;

  @Field(() => Id, { description: "The subnet; the id of the primary network is all zeros." })
  subnetId!: string;

  @Field(() => Quantity, {
    description: "Stake, in the smallest unit of what is staked; 0 where the subnet lets validators in without one.",
  })
  amountStaked!: string;

  @Field(() => Quantity, { description: "Weight in its subnet, without its delegators'." })
  weight!: string;

  @Field(() => Boolean, { description: "Whether the subnet's owner let it in: without stake and rewards." })
  isPermissioned!: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      "Its share of its delegators' rewards in percent, without zeros at its end; null where nobody can delegate.",
  })
  delegationFee!: string | null;

  @Field(() => Timestamp, { description: "When it began, or is to begin." })
  startTimestamp!: string;

  @Field(() => Timestamp, { description: "When it was, or is, to end." })
  endTimestamp!: string;

  @Field(() => BlsCredentials, { nullable: true, description: "Its BLS key; null where it gave none." })
  blsCredentials!: BlsCredentials | null;

  @Field(() => ValidationStatus, { description: "Where it stands now." })
  validationStatus!: ValidationStatus;

  @Field(() => ValidatorRewards, { nullable: true, description: "What it brought; null before it is completed." })
  rewards!: ValidatorRewards | null;

  @Field(() => Id, {
    nullable: true,
    description: "The transaction that took it off its subnet; null unless it was removed.",
  })
  removeTxHash!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "When it was removed; null unless it was." })
  removeTimestamp!: string | null;

  @Field(() => Geolocation, { nullable: true, description: "Not known to this service: always null." })
  geolocation!: Geolocation | null;
}

@ObjectType({ description: "A page of validations.", simpleResolvers: true })
export class ValidatorPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [Validator], { description: "By when they begin; the latest first unless asked otherwise." })
  validators!: Validator[];
}

@ArgsType()
export class ValidatorsArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { nullable: true, description: "Only of this node." })
  nodeId?: string | null;

  @Field(() => String, { nullable: true, description: "Only of this subnet, as CB58 or hex." })
  subnetId?: string | null;

  @Field(() => ValidationStatus, { nullable: true, description: "Only those that stand there." })
  validationStatus?: ValidationStatus | null;

  @Field(() => SortOrder, { nullable: true, description: "By when they begin. Default: the latest first." })
  sortOrder?: SortOrder | null;
}

@ArgsType()
export class ValidatorArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Id of the transaction that began it, as CB58 or hex." })
  txHash!: string;
}

/** A list below a parent, of stakers that stand somewhere. */
@ArgsType()
export class ValidatorsBelowArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => ValidationStatus, { nullable: true, description: "Only those that stand there." })
  validationStatus?: ValidationStatus | null;
}
