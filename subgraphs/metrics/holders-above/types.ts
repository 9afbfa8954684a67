import { ArgsType, Field, InputType } from "type-graphql";
import { ForwardConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Address, Timestamp } from "../../../core/graph/scalars.ts";

/** Largest page of the addresses above a threshold. */
const MAX_HOLDERS_ABOVE = 5_000;

const THRESHOLD =
  "Balance that must have been exceeded, in the token's smallest unit: a non-negative integer as a decimal string of up to 1,000 digits.";
const FROM =
  "Start of the time frame. An address whose balance at this moment is already above the threshold is also listed. Default: the first block of the chain.";
const TO =
  "End of the time frame, exclusive. Default: no end. Blocks that are indexed after the first page are not included.";

@InputType({ description: "Time frame in which a balance must have been above a threshold." })
class HoldersAboveFilter {
  @Field(() => Timestamp, { nullable: true, description: FROM })
  fromTime?: string | null;

  @Field(() => Timestamp, { nullable: true, description: TO })
  toTime?: string | null;
}

@ArgsType()
export class HoldersAboveArgs extends ForwardConnectionArgs({ max: MAX_HOLDERS_ABOVE, initial: 1_000 }) {
  @Field(() => String, { description: THRESHOLD })
  threshold!: string;

  @Field(() => HoldersAboveFilter, { nullable: true, description: "The time frame. Default: all times." })
  filter?: HoldersAboveFilter | null;
}

/** The arguments with the names of REST. */
@ArgsType()
export class Erc20HoldersAboveArgs extends ForwardConnectionArgs({ max: MAX_HOLDERS_ABOVE, initial: 1_000 }) {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the token's contract." })
  address!: string;

  @Field(() => String, { description: THRESHOLD })
  threshold!: string;

  @Field(() => Timestamp, { nullable: true, description: FROM })
  startTimestamp?: string | null;

  @Field(() => Timestamp, { nullable: true, description: TO })
  endTimestamp?: string | null;
}
