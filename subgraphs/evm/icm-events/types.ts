import { ArgsType, Directive, Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Address, Hash, Quantity, Timestamp } from "../../../core/scalars.ts";
import type { IcmEvent as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";

export const TransactionDirectionType = {
  SOURCE_TRANSACTION: "SOURCE_TRANSACTION",
  DESTINATION_TRANSACTION: "DESTINATION_TRANSACTION",
} as const;
export type TransactionDirectionType = keyof typeof TransactionDirectionType;

registerEnumType(TransactionDirectionType, {
  name: "TransactionDirectionType",
  description: "Which end of a message's way it is.",
  valuesConfig: {
    SOURCE_TRANSACTION: { description: "The message was sent." },
    DESTINATION_TRANSACTION: { description: "The message was received." },
  },
});

@ObjectType({
  description: "An event of an interchain message: of a chain's Teleporter messenger, or of its warp precompile.",
  simpleResolvers: true,
})
@Directive('@key(fields: "chainId blockNumber logIndex")')
export class IcmEvent implements TextRow<Row> {
  /** The other chain's blockchain id as it is kept: its resolver writes CB58. */
  blockchainId!: string | null;

  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Height of its block." })
  blockNumber!: string;

  @Field(() => Int, { description: "Position of its log in the block." })
  logIndex!: number;

  @Field(() => Int, { description: "Position of its transaction in the block." })
  blockIndex!: number;

  @Field(() => Timestamp, { description: "When its block was made." })
  blockTimestamp!: string;

  @Field(() => Hash, { description: "Transaction that it happened in." })
  txHash!: string;

  @Field(() => String, { description: "Name of the event, such as `SendCrossChainMessage`." })
  event!: string;

  @Field(() => TransactionDirectionType, { nullable: true, description: "Which end it is; null when it is neither." })
  direction!: string | null;

  @Field(() => Hash, { description: "Id of the message. A warp message's is another than a Teleporter message's." })
  messageId!: string;

  @Field(() => Address, { description: "The contract that emitted it." })
  messenger!: string;

  @Field(() => Quantity, { nullable: true, description: "Nonce of the message; null when the event has none." })
  messageNonce!: string | null;

  @Field(() => Address, { nullable: true, description: "Who sent the message; null when the event does not say." })
  originSender!: string | null;

  @Field(() => Address, { nullable: true, description: "Whom it is for; null when the event does not say." })
  destinationAddress!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description: "Gas that its execution is to have; null when the event does not say.",
  })
  requiredGasLimit!: string | null;
}

@ObjectType({ description: "A page of interchain events.", simpleResolvers: true })
export class IcmEventPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [IcmEvent], { description: "Of a message the oldest first; of a transaction in its order." })
  events!: IcmEvent[];
}

@ObjectType({ description: "A Teleporter message that a transaction sent or received.", simpleResolvers: true })
export class TeleporterMessageInfo {
  @Field(() => Hash, { description: "Id of the message." })
  teleporterMessageId!: string;

  @Field(() => TransactionDirectionType, { description: "Whether it was sent or received." })
  direction!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Chain that it came from, when it was received: EVM chain id of a chain that is served, else blockchain id.",
  })
  sourceChainId!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Chain that it goes to, when it was sent: EVM chain id of a chain that is served, else blockchain id.",
  })
  destinationChainId!: string | null;
}

@ArgsType()
export class IcmEventsArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => Hash, { description: "Id of the message." })
  messageId!: string;
}
