import { ArgsType, Directive, Field, Float, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Hash, Integer, Quantity, Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { BlsCredentials } from "../credentials/bls-credentials.ts";
import { Id, NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/store.ts";

@ObjectType({ description: "Who may do something with an L1 validator.", simpleResolvers: true })
export class BalanceOwner {
  @Field(() => [String], { description: "Addresses, without a chain before them." })
  addresses!: string[];

  @Field(() => Float, { description: "How many of them must sign." })
  threshold!: number;
}

@ObjectType({
  description: "A validator of an L1: it pays for each second in which it is active.",
  simpleResolvers: true,
})
@Directive('@key(fields: "network validationId")')
export class L1Validator {
  /** Its network. */
  served!: ServedNetwork;

  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Id of the validation." })
  validationId!: string;

  @Field(() => Hash, { description: "The same in hex." })
  validationIdHex!: string;

  @Field(() => NodeId, { description: "The node." })
  nodeId!: string;

  @Field(() => Id, { description: "The L1's subnet." })
  subnetId!: string;

  @Field(() => Integer, { description: "Weight in its L1; 0 once it is removed." })
  weight!: string;

  @Field(() => Integer, {
    description: "What is left of its balance in nAVAX, at the time of the last indexed block; 0 while inactive.",
  })
  remainingBalance!: string;

  @Field(() => Timestamp, { description: "When it became one." })
  creationTimestamp!: string;

  @Field(() => BlsCredentials, { description: "Its BLS key." })
  blsCredentials!: BlsCredentials;

  @Field(() => BalanceOwner, { description: "Who gets what is left of its balance." })
  remainingBalanceOwner!: BalanceOwner;

  @Field(() => BalanceOwner, { description: "Who may make it inactive." })
  deactivationOwner!: BalanceOwner;

  @Field(() => Boolean, { description: "Whether it validates: it can pay, and is not removed." })
  isActive!: boolean;

  @Field(() => Boolean, { description: "Whether it was removed for good." })
  isRemoved!: boolean;

  @Field(() => Quantity, { description: "Least nonce of a message that may change its weight." })
  minNonce!: string;
}

@ObjectType({ description: "A page of validators of L1s.", simpleResolvers: true })
export class L1ValidatorPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [L1Validator], { description: "The newest first." })
  validators!: L1Validator[];

  @Field(() => Quantity, { description: "P-Chain block after which this is so: the last that is indexed." })
  blockHeight!: string;
}

@ObjectType({ description: "A page of validators of L1s below something else.", simpleResolvers: true })
export class L1ValidatorList {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [L1Validator], { description: "The newest first." })
  validators!: L1Validator[];
}

@ArgsType()
export class L1ValidatorsArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, {
    nullable: true,
    description: "Only this validation, as CB58 or hex: also when it is inactive, but not yet removed.",
  })
  l1ValidationId?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether inactive and removed validators are among them. Default: no.",
  })
  includeInactiveL1Validators?: boolean | null;

  @Field(() => String, { nullable: true, description: "Only of this node." })
  nodeId?: string | null;

  @Field(() => [String], { nullable: true, description: "Only of these subnets, as CB58 or hex." })
  subnetId?: string[] | null;
}

@ArgsType()
export class L1ValidatorArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Id of the validation, as CB58 or hex." })
  validationId!: string;
}

/** A list of L1 validators below a parent. */
@ArgsType()
export class L1ValidatorsBelowArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => Boolean, {
    nullable: true,
    description: "Whether inactive and removed validators are among them. Default: no.",
  })
  includeInactiveL1Validators?: boolean | null;
}
