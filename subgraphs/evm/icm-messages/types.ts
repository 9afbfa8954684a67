import { ArgsType, Directive, Field, InputType, Int, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Address, Hash, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { IcmMessage as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";
import { SortOrder } from "../../shared/schema/sort-order.ts";
import { FilteredArgs } from "../ranged-lists/args.ts";
import type { MessageSide } from "./statement.ts";

export type IcmMessageState = "SENT" | "RECEIVED" | "EXECUTED" | "FAILED";

export const ALL_STATES: readonly IcmMessageState[] = ["EXECUTED", "FAILED", "RECEIVED", "SENT"];

export const IcmMessageState = graphEnum<IcmMessageState>({
  name: "IcmMessageState",
  description: "How far an interchain message has come, by the events of both chains.",
  values: {
    SENT: "It was sent. It is not received yet, or its destination is not indexed.",
    RECEIVED: "It was received and not executed: the recipient has no code.",
    EXECUTED: "The recipient executed it, at the first or a later attempt.",
    FAILED: "The recipient's contract failed, at every attempt so far.",
  },
});

const IcmDirection = graphEnum<MessageSide>({
  name: "IcmDirection",
  description: "Whether messages were sent or received.",
  values: {
    SENT: "Sent by the chain or address.",
    RECEIVED: "For the chain or address, also if they are not received yet.",
  },
});

/** A row of `icm_messages`. */
export type IcmMessageRow = TextRow<Row>;

@ObjectType({
  description: "A Teleporter message between two chains, with both of its ends as far as their chains are indexed.",
})
@Directive('@key(fields: "messageId")')
export class IcmMessage {
  /** The row from which the object was built. */
  row!: IcmMessageRow;

  @Field(() => Hash, { description: "Id of the message." })
  messageId!: string;

  @Field(() => IcmMessageState, { description: "State." })
  state!: IcmMessageState;

  @Field(() => Address, { nullable: true, description: "Sender on the source chain." })
  originSender!: string | null;

  @Field(() => Address, { nullable: true, description: "Recipient on the destination chain." })
  destinationAddress!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Nonce: the number of the message from its source chain." })
  messageNonce!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Gas limit required to execute the message." })
  requiredGasLimit!: string | null;

  @Field(() => Address, {
    nullable: true,
    description:
      "Token of the fee, an ERC-20 contract of the source chain. Null if there is no fee, or if the source chain is not indexed.",
  })
  feeToken!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Fee for the relayer in the smallest unit of the token, with what was added later; 0 without a fee. Null if the source chain is not indexed.",
  })
  feeAmount!: string | null;

  @Field(() => Address, {
    nullable: true,
    description: "Account that delivered the message. Null until it is received.",
  })
  relayer!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "When it was sent. Null if the source chain is not indexed." })
  sentTimestamp!: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "When it was received. Null: not yet, or the destination is not indexed.",
  })
  receivedTimestamp!: string | null;

  @Field(() => Timestamp, { nullable: true, description: "When it was executed. Null: not yet." })
  executedTimestamp!: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "When its execution failed for the first time. Null: it did not.",
  })
  failedTimestamp!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: "Seconds from sending to receiving, by the times of both blocks. Null unless both are indexed.",
  })
  latencySeconds!: number | null;
}

@ObjectType({ description: "A page of interchain messages." })
export class IcmMessageConnection extends Connection(
  IcmMessage,
  "Messages, newest first by default: by the time at which they were sent or, if that is not indexed, received.",
) {}

@InputType({
  description: "Filter of the interchain messages of an address on one chain. Items fulfil all conditions.",
})
class AddressIcmMessageFilter {
  @Field(() => IcmDirection, {
    nullable: true,
    description:
      "Whether the chains and the address sent or receive the messages. Absent: either. Without chains and an address it changes nothing.",
  })
  direction?: MessageSide | null;

  @Field(() => [IcmMessageState], { nullable: true, description: "Filter by state. Absent or empty: every state." })
  states?: IcmMessageState[] | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "Filter by the time by which messages are ordered: this second or later.",
  })
  fromTime?: string | null;

  @Field(() => Timestamp, {
    nullable: true,
    description: "Filter by the time by which messages are ordered: before this second.",
  })
  toTime?: string | null;
}

@InputType({
  description: "Filter of the interchain messages of an address over several chains. Items fulfil all conditions.",
})
class AccountIcmMessageFilter extends AddressIcmMessageFilter {
  @Field(() => [String], {
    nullable: true,
    description:
      "Filter by configured chain, which the message has on the same end as the address: EVM chain ids, or blockchain ids as CB58 or hex. Absent or empty: all chains, also those that are not configured. The list fails with `UNAVAILABLE` if no block of a named chain is indexed.",
  })
  chains?: string[] | null;
}

@InputType({ description: "Filter of interchain messages. Items fulfil all conditions." })
export class IcmMessageFilter extends AccountIcmMessageFilter {
  @Field(() => Address, {
    nullable: true,
    description: "Filter by sender or recipient, on one of `chains` if they are given.",
  })
  address?: string | null;
}

@InputType({ description: "Order of interchain messages: by time." })
class IcmMessageOrder {
  @Field(() => SortOrder, { defaultValue: "desc", description: "Direction." })
  direction!: SortOrder;
}

/** Base class of the arguments of a list of messages. */
function MessagesArgs<Filter extends object>(Filter: new () => Filter) {
  @ArgsType()
  abstract class Args extends FilteredArgs(Filter) {
    @Field(() => IcmMessageOrder, { nullable: true, description: "Order of the list. Default: newest first." })
    orderBy?: IcmMessageOrder | null;
  }
  return Args;
}

@ArgsType()
export class IcmMessagesArgs extends MessagesArgs(IcmMessageFilter) {}

@ArgsType()
export class AccountIcmMessagesArgs extends MessagesArgs(AccountIcmMessageFilter) {}

@ArgsType()
export class AddressIcmMessagesArgs extends MessagesArgs(AddressIcmMessageFilter) {}

@ArgsType()
export class IcmMessageArgs {
  @Field(() => Hash, { description: "Id of the message." })
  messageId!: string;
}
