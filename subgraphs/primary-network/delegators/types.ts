import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Quantity, Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/store.ts";
import { OutputOwners } from "../ownership/output-owners.ts";
import { SortOrder } from "../paging/sort-order.ts";
import type { StakerRow } from "../stakers/rows.ts";
import { DelegationStatus } from "../stakers/status.ts";

@ObjectType({ description: "One delegation: stake that is lent to a validation.", simpleResolvers: true })
@Directive('@key(fields: "network txHash")')
export class Delegator {
  /** What was read of it, and its network. */
  row!: StakerRow;
  served!: ServedNetwork;

  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;

  @Field(() => Id, { description: "The transaction that began it." })
  txHash!: string;

  @Field(() => NodeId, { description: "The node." })
  nodeId!: string;

  @Field(() => Id, { description: "The subnet; the id of the primary network is all zeros." })
  subnetId!: string;

  @Field(() => [String], { description: "Owners of the reward, without a chain before them." })
  rewardAddresses!: string[];

  @Field(() => OutputOwners, { nullable: true, description: "The same, with how many of them must sign." })
  rewardOwner!: OutputOwners | null;

  @Field(() => Quantity, { description: "Stake, in the smallest unit of what is staked." })
  amountDelegated!: string;

  @Field(() => String, {
    description: "The validator's share of the reward in percent, without zeros at its end.",
  })
  delegationFee!: string;

  @Field(() => Timestamp, { description: "When it began, or is to begin." })
  startTimestamp!: string;

  @Field(() => Timestamp, { description: "When it ended, or is to end." })
  endTimestamp!: string;

  @Field(() => DelegationStatus, { description: "Where it stands now." })
  delegationStatus!: DelegationStatus;
}

@ObjectType({ description: "A page of delegations.", simpleResolvers: true })
export class DelegatorPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [Delegator], { description: "By when they begin; the latest first unless asked otherwise." })
  delegators!: Delegator[];
}

@ArgsType()
export class DelegatorsArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, {
    nullable: true,
    description: "Only of these owners of the reward: addresses with commas between them.",
  })
  rewardAddresses?: string | null;

  @Field(() => String, { nullable: true, description: "Only to these nodes: node ids with commas between them." })
  nodeIds?: string | null;

  @Field(() => String, { nullable: true, description: "Only on this subnet, as CB58 or hex." })
  subnetId?: string | null;

  @Field(() => DelegationStatus, { nullable: true, description: "Only those that stand there." })
  delegationStatus?: DelegationStatus | null;

  @Field(() => SortOrder, { nullable: true, description: "By when they begin. Default: the latest first." })
  sortOrder?: SortOrder | null;
}

@ArgsType()
export class DelegatorArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Id of the transaction that began it, as CB58 or hex." })
  txHash!: string;
}

@ArgsType()
export class DelegatorsBelowArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => DelegationStatus, { nullable: true, description: "Only those that stand there." })
  delegationStatus?: DelegationStatus | null;
}
