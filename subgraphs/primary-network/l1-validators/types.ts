import { ArgsType, Directive, Field, InputType, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Hash, Integer, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { StateAt } from "../../shared/schema/state-at.ts";
import { BlsCredentials } from "../credentials/bls-credentials.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import type { StakerTotals } from "../stakers/totals.ts";
import { L1ValidatorOrder } from "./order.ts";

@ObjectType({ description: "Addresses that control an L1 validator or own its balance." })
export class BalanceOwner {
  network!: NetworkName;

  @Field(() => [String], { description: "Bech32 addresses, without a chain prefix." })
  addresses!: string[];

  @Field(() => Integer, { description: "Number of addresses whose signatures are required." })
  threshold!: number;
}

@ObjectType({ description: "A validator of an L1. It pays a fee for each second in which it is active." })
@Directive('@key(fields: "network validationId")')
export class L1Validator {
  served!: ServedNetwork;

  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Validation ID." })
  validationId!: string;

  @Field(() => Hash, { description: "Validation ID as hex." })
  validationIdHex!: string;

  @Field(() => NodeId, { description: "Node ID." })
  nodeId!: string;

  @Field(() => Id, { description: "Subnet ID of the L1." })
  subnetId!: string;

  @Field(() => Quantity, { description: "Weight in the L1. 0 for a removed validator." })
  weight!: string;

  @Field(() => Quantity, {
    description: "Remaining balance in nAVAX at the time of the last indexed block. 0 for an inactive validator.",
  })
  remainingBalance!: string;

  @Field(() => Timestamp, { description: "Time of registration." })
  creationTimestamp!: string;

  @Field(() => BlsCredentials, { description: "BLS public key." })
  blsCredentials!: BlsCredentials;

  @Field(() => BalanceOwner, { description: "Owner of the remaining balance." })
  remainingBalanceOwner!: BalanceOwner;

  @Field(() => BalanceOwner, { description: "Owner that may deactivate the validator." })
  deactivationOwner!: BalanceOwner;

  @Field(() => Boolean, {
    description: "True while the validator validates: it has a balance and is neither disabled nor removed.",
  })
  isActive!: boolean;

  @Field(() => Boolean, { description: "True if the validator was removed." })
  isRemoved!: boolean;

  @Field(() => Quantity, { description: "Minimum nonce of the next message that can change its weight." })
  minNonce!: string;
}

@ObjectType({ description: "An L1 validator after a block of the P-Chain." })
export class L1ValidatorState {
  network!: NetworkName;

  @Field(() => Quantity, { description: "Height of the block." })
  blockNumber!: string;

  @Field(() => Quantity, { description: "Weight in the L1." })
  weight!: string;

  @Field(() => Boolean, { description: "True if the validator validates: it has a balance and is not disabled." })
  isActive!: boolean;

  @Field(() => Quantity, {
    description: "Remaining balance in nAVAX at the time of the block. 0 for an inactive validator.",
  })
  remainingBalance!: string;
}

@ArgsType()
export class L1ValidatorStateArgs {
  @Field(() => StateAt, { nullable: true, description: "Block of the P-Chain. Default: the last indexed block." })
  at?: StateAt | null;
}

@ObjectType({ description: "A page of L1 validators, with the block height that it reflects." })
export class L1ValidatorConnection extends Connection(L1Validator, "L1 validators, newest first by default.") {
  network!: NetworkName;

  @Field(() => Quantity, { description: "Height of the P-Chain block that the page reflects: the last indexed block." })
  blockHeight!: string;

  /** Null: no counter has them. */
  totals!: () => Promise<StakerTotals | null>;
}

@ObjectType({ description: "A page of the L1 validators of a node or subnet." })
export class NestedL1ValidatorConnection extends Connection(L1Validator, "L1 validators, newest first.") {}

export type L1ValidatorStatus = "ACTIVE" | "INACTIVE" | "REMOVED";

export const ALL_STATUSES: readonly L1ValidatorStatus[] = ["ACTIVE", "INACTIVE", "REMOVED"];

export const L1ValidatorStatus = graphEnum<L1ValidatorStatus>({
  name: "L1ValidatorStatus",
  description: "Status of an L1 validator.",
  values: {
    ACTIVE: "It validates.",
    INACTIVE: "Its balance is used up, or it was disabled. It still has its weight.",
    REMOVED: "It was removed.",
  },
});

@InputType({ description: "Filter of L1 validators. Items fulfil all conditions." })
class L1ValidatorFilter {
  @Field(() => [String], {
    nullable: true,
    description: "Filter by subnet: up to 100 subnet IDs, as CB58 or hex. Absent or empty: every subnet.",
  })
  subnetIds?: string[] | null;

  @Field(() => [L1ValidatorStatus], {
    nullable: true,
    description: "Filter by status. Absent or empty: `ACTIVE` only.",
  })
  statuses?: L1ValidatorStatus[] | null;
}

@ArgsType()
export class L1ValidatorsArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @RestOnly()
  @Field(() => String, {
    nullable: true,
    description:
      "Filter by validation ID, as CB58 or hex. Also finds an inactive validator. Finds a removed validator only if `includeInactiveL1Validators` is true.",
  })
  l1ValidationId?: string | null;

  @RestOnly()
  @Field(() => Boolean, {
    nullable: true,
    description: "True to include inactive and removed validators. Default: false.",
  })
  includeInactiveL1Validators?: boolean | null;

  @RestOnly()
  @Field(() => String, { nullable: true, description: "Filter by node ID. See also `ValidatorNode.l1Validators`." })
  nodeId?: string | null;

  @Field(() => L1ValidatorFilter, { nullable: true, description: "Which validators. Absent: the active ones." })
  filter?: L1ValidatorFilter | null;

  @Field(() => L1ValidatorOrder, { nullable: true, description: "Order of the list. Default: newest first." })
  orderBy?: L1ValidatorOrder | null;
}

@ArgsType()
export class L1ValidatorArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Validation ID as CB58 or hex." })
  validationId!: string;
}

@InputType({ description: "Filter of the L1 validators of a subnet or node." })
class NestedL1ValidatorFilter {
  @Field(() => [L1ValidatorStatus], {
    nullable: true,
    description: "Filter by status. Absent or empty: `ACTIVE` only.",
  })
  statuses?: L1ValidatorStatus[] | null;
}

/** Arguments of a nested list of L1 validators, newest first. */
@ArgsType()
export class L1ValidatorsBelowArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NestedL1ValidatorFilter, { nullable: true, description: "Which validators. Absent: the active ones." })
  filter?: NestedL1ValidatorFilter | null;

  /** The wanted statuses, separated by commas. */
  get statuses(): string {
    const statuses = this.filter?.statuses;
    return [...new Set(statuses?.length ? statuses : ["ACTIVE"])].sort().join();
  }
}

/** Arguments of a nested list of L1 validators that can be sorted. */
@ArgsType()
export class SortedL1ValidatorsBelowArgs extends L1ValidatorsBelowArgs {
  @Field(() => L1ValidatorOrder, { nullable: true, description: "Order of the list. Default: newest first." })
  orderBy?: L1ValidatorOrder | null;
}
