import { ArgsType, Directive, Field, Float, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Integer, Quantity, SignedQuantity, Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { Id } from "../identifiers/scalars.ts";
import { L1ValidatorManagerDetails, SubnetOwnershipInfo } from "../ownership/subnet-ownership.ts";
import { SortOrder } from "../paging/sort-order.ts";

@ObjectType({ description: "What a subnet with staking of its own pays.", simpleResolvers: true })
export class SubnetStaking {
  @Field(() => Id, { description: "The TransformSubnetTx." })
  transformTxHash!: string;

  @Field(() => Id, { description: "The asset that is staked." })
  stakingAssetId!: string;

  @Field(() => Quantity, { description: "Supply of it, potential rewards included." })
  currentSupply!: string;

  @Field(() => Quantity, { description: "Supply that rewards approach." })
  maximumSupply!: string;

  @Field(() => Quantity, { description: "Rate of the shortest stake, in millionths." })
  minConsumptionRate!: string;

  @Field(() => Quantity, { description: "Rate of a stake of a whole minting period, in millionths." })
  maxConsumptionRate!: string;
}

@ObjectType({ description: "A subnet or an L1, and the primary network as the first of all.", simpleResolvers: true })
@Directive('@key(fields: "network subnetId")')
export class Subnet {
  /** As rows have it. */
  networkId!: string;

  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Id: of the CreateSubnetTx." })
  subnetId!: string;

  @Field(() => Timestamp, { description: "When it was created." })
  createBlockTimestamp!: string;

  @Field(() => SignedQuantity, {
    description: "Block of the P-Chain that created it; -1 of the primary network.",
  })
  createBlockIndex!: string;

  @Field(() => [String], {
    description: "Owners that it was created with, in Bech32. Those of now: `subnetOwnershipInfo`.",
  })
  ownerAddresses!: string[];

  @Field(() => Float, { description: "How many of those had to sign." })
  threshold!: number;

  @Field(() => Integer, { description: "Until when they could do nothing with it." })
  locktime!: string;

  @Field(() => SubnetOwnershipInfo, {
    description: "Its owners. They stay those of before when it becomes an L1 or elastic.",
  })
  subnetOwnershipInfo!: SubnetOwnershipInfo;

  @Field(() => Boolean, { description: "Whether it became an L1." })
  isL1!: boolean;

  @Field(() => Id, { nullable: true, description: "The ConvertSubnetToL1Tx; null unless it is an L1." })
  l1ConversionTransactionHash!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "When it became an L1." })
  l1ConversionTimestamp!: string | null;

  @Field(() => L1ValidatorManagerDetails, {
    nullable: true,
    description: "What manages its validators; null unless it is an L1.",
  })
  l1ValidatorManagerDetails!: L1ValidatorManagerDetails | null;

  @Field(() => SubnetStaking, { nullable: true, description: "Its own staking; null unless it became elastic." })
  staking!: SubnetStaking | null;
}

@ObjectType({ description: "A page of subnets.", simpleResolvers: true })
export class SubnetPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [Subnet], { description: "By creation, the newest first unless asked otherwise." })
  subnets!: Subnet[];
}

@ArgsType()
export class SubnetsArgs extends PageArgs({ max: 10_000, initial: 100 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => SortOrder, { nullable: true, description: "Order of creation. Default: newest first." })
  sortOrder?: SortOrder | null;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Ends the page before the subnet with whose blockchains it would have more than so many bytes, of a blockchain 500 and those of its genesis; never before the first. For who asks for `genesisData`.",
  })
  mostBlockchainBytes?: string | null;
}

@ArgsType()
export class SubnetArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Id, as CB58 or hex." })
  subnetId!: string;
}
