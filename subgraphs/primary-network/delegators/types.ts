import { ArgsType, Directive, Field, InputType, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { OutputOwners } from "../ownership/output-owners.ts";
import { DelegatorOrder } from "../stakers/order.ts";
import type { StakerRow } from "../stakers/rows.ts";
import { DelegationStatus } from "../stakers/status.ts";
import type { StakerTotals } from "../stakers/totals.ts";

@ObjectType({ description: "A delegation: stake that is added to the stake of a validator." })
@Directive('@key(fields: "network txHash")')
export class Delegator {
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

  @Field(() => [String], { description: "Bech32 addresses of the reward owners, without a chain prefix." })
  rewardAddresses!: readonly string[];

  @Field(() => OutputOwners, { nullable: true, description: "Reward owners with their signature threshold." })
  rewardOwner!: OutputOwners | null;

  @Field(() => Quantity, { description: "Stake in the smallest unit of the staked asset." })
  amountDelegated!: string;

  @Field(() => String, {
    description: "The validator's share of the reward in percent, such as `2` or `3.5`.",
  })
  delegationFee!: string;

  @Field(() => Timestamp, { description: "Start time." })
  startTimestamp!: string;

  @Field(() => Timestamp, { description: "End time." })
  endTimestamp!: string;

  @Field(() => DelegationStatus, { description: "Current status." })
  delegationStatus!: DelegationStatus;
}

@ObjectType({ description: "A page of delegations." })
export class DelegatorConnection extends Connection(Delegator, "Delegations, latest start first by default.") {
  /** Absent below other objects. Null: no counter has them. */
  totals?: () => Promise<StakerTotals | null>;
}

@InputType({ description: "Filter of delegations. Items fulfil all conditions." })
class DelegatorFilter {
  @Field(() => [String], {
    nullable: true,
    description: "Filter by node: up to 200 node IDs. Absent or empty: every node.",
  })
  nodeIds?: string[] | null;

  @Field(() => String, { nullable: true, description: "Filter by subnet: a subnet ID, as CB58 or hex." })
  subnetId?: string | null;

  @Field(() => DelegationStatus, { nullable: true, description: "Filter by status. Default: every status." })
  status?: DelegationStatus | null;
}

@ArgsType()
export class DelegatorsArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @RestOnly()
  @Field(() => [String], {
    nullable: true,
    description:
      "Filter by reward owners: up to 200 Bech32 addresses. For lists by start time. For those of one address, see `PrimaryNetworkAddress`.",
  })
  rewardAddresses?: string[] | null;

  @Field(() => DelegatorFilter, { nullable: true, description: "Which delegations. Absent: all." })
  filter?: DelegatorFilter | null;

  @Field(() => DelegatorOrder, { nullable: true, description: "Order of the list. Default: latest start first." })
  orderBy?: DelegatorOrder | null;
}

@InputType({ description: "Filter of the delegations to a validation or node." })
class NestedDelegatorFilter {
  @Field(() => DelegationStatus, { nullable: true, description: "Filter by status. Default: every status." })
  status?: DelegationStatus | null;
}

/** Arguments of a nested list of delegations, latest start first. */
@ArgsType()
export class DelegatorsBelowArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NestedDelegatorFilter, { nullable: true, description: "Which delegations. Absent: all." })
  filter?: NestedDelegatorFilter | null;
}

/** Arguments of a nested list of delegations that can be sorted. */
@ArgsType()
export class SortedDelegatorsBelowArgs extends DelegatorsBelowArgs {
  @Field(() => DelegatorOrder, { nullable: true, description: "Order of the list. Default: latest start first." })
  orderBy?: DelegatorOrder | null;
}
