import { ArgsType, Directive, Field, InputType, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Integer, Quantity, SignedQuantity, Timestamp } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";
import { Id } from "../identifiers/scalars.ts";
import { L1ValidatorManagerDetails, SubnetOwnershipInfo } from "../ownership/subnet-ownership.ts";
import { SubnetKind, SubnetOrder } from "./order.ts";

@ObjectType({ description: "Staking rules of an elastic subnet." })
export class SubnetStaking {
  network!: NetworkName;

  @Field(() => Id, { description: "ID of the TransformSubnetTx." })
  transformTxHash!: string;

  @Field(() => Id, { description: "ID of the staked asset." })
  stakingAssetId!: string;

  @Field(() => Quantity, { description: "Supply of the asset, including potential rewards." })
  currentSupply!: string;

  @Field(() => Quantity, { description: "Maximum supply of the asset." })
  maximumSupply!: string;

  @Field(() => Quantity, {
    description:
      "Lower limit of the reward rate, in millionths. A very short stake has nearly this rate. The rate is the share of the unminted supply that would be paid per minting period if the whole supply were staked. The minting period is a constant of the network, by default 365 days.",
  })
  minConsumptionRate!: string;

  @Field(() => Quantity, {
    description:
      "Reward rate of a stake that lasts a whole minting period, in the unit of `minConsumptionRate`. For shorter stakes, the rate rises linearly with the duration from `minConsumptionRate` to this value.",
  })
  maxConsumptionRate!: string;
}

@ObjectType({ description: "A subnet or L1. The primary network counts as the first subnet." })
@Directive('@key(fields: "network subnetId")')
export class Subnet {
  /** Decimal text. */
  networkId!: string;

  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Subnet ID: the ID of the CreateSubnetTx. All zeros for the primary network." })
  subnetId!: string;

  @Field(() => Timestamp, { description: "Time of creation." })
  createBlockTimestamp!: string;

  @Field(() => SignedQuantity, {
    description: "Height of the P-Chain block that created it. -1 for the primary network.",
  })
  createBlockIndex!: string;

  @Field(() => [String], {
    description: "Bech32 addresses of the owner at creation. For the current owner, see `subnetOwnershipInfo`.",
  })
  ownerAddresses!: string[];

  @Field(() => Integer, { description: "Signature threshold of the owner at creation." })
  threshold!: number;

  @Field(() => Quantity, { description: "Locktime of the owner at creation, in seconds." })
  locktime!: string;

  @Field(() => SubnetOwnershipInfo, {
    description: "Current owner. Conversion to an L1 or to an elastic subnet does not change the owner.",
  })
  subnetOwnershipInfo!: SubnetOwnershipInfo;

  @Field(() => SubnetKind, { description: "Kind." })
  kind!: SubnetKind;

  @Field(() => Boolean, { description: "True if it was converted to an L1." })
  isL1!: boolean;

  @Field(() => Id, { nullable: true, description: "ID of the ConvertSubnetToL1Tx. Null unless it is an L1." })
  l1ConversionTransactionHash!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "Time of the conversion to an L1. Null unless it is an L1." })
  l1ConversionTimestamp!: string | null;

  @Field(() => L1ValidatorManagerDetails, {
    nullable: true,
    description: "Contract that manages its validators. Null unless it is an L1.",
  })
  l1ValidatorManagerDetails!: L1ValidatorManagerDetails | null;

  @Field(() => SubnetStaking, { nullable: true, description: "Staking rules. Null unless it is elastic." })
  staking!: SubnetStaking | null;
}

@ObjectType({ description: "A page of subnets." })
export class SubnetConnection extends Connection(Subnet, "Subnets, sorted by creation, newest first by default.") {}

@InputType({ description: "Filter of subnets." })
class SubnetFilter {
  @Field(() => [SubnetKind], { nullable: true, description: "Filter by kind. Absent or empty: every kind." })
  kinds?: SubnetKind[] | null;
}

@ArgsType()
export class SubnetsArgs extends ConnectionArgs({ max: 10_000, initial: 100 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => SubnetFilter, { nullable: true, description: "Which subnets. Absent: all." })
  filter?: SubnetFilter | null;

  @Field(() => SubnetOrder, { nullable: true, description: "Order of the list. Default: newest first." })
  orderBy?: SubnetOrder | null;

  @RestOnly()
  @Field(() => Quantity, {
    nullable: true,
    description:
      "Limit for the size of a page in bytes, for requests that select `genesisData`. A blockchain counts as 500 bytes plus the size of its genesis. If the next subnet would bring a page above the limit, the page ends before it. A page has at least one subnet.",
  })
  mostBlockchainBytes?: string | null;
}

@ArgsType()
export class SubnetArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Subnet ID as CB58 or hex." })
  subnetId!: string;
}
