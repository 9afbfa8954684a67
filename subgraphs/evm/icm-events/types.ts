import { ArgsType, Directive, Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Address, Hash, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { IcmEvent as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { ChainsListArgs } from "../ranged-lists/args.ts";

const TransactionDirectionType = {
  SOURCE_TRANSACTION: "SOURCE_TRANSACTION",
  DESTINATION_TRANSACTION: "DESTINATION_TRANSACTION",
} as const;

registerEnumType(TransactionDirectionType, {
  name: "TransactionDirectionType",
  description: "Whether a transaction sent or received a message.",
  valuesConfig: {
    SOURCE_TRANSACTION: { description: "The transaction sent the message." },
    DESTINATION_TRANSACTION: { description: "The transaction received the message, or tried to execute it." },
  },
});

@ObjectType({
  description: "An event of an interchain message, emitted by a Teleporter messenger or by the warp precompile.",
})
@Directive('@key(fields: "chainId blockNumber logIndex")')
export class IcmEvent implements TextRow<Row> {
  /** Blockchain id of the other chain as `0x` hex; the resolver converts it to CB58. */
  blockchainId!: string | null;

  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Number of the block." })
  blockNumber!: string;

  @Field(() => Int, { description: "Index of the log in the block." })
  logIndex!: number;

  @Field(() => Int, { description: "Index of the transaction in the block." })
  blockIndex!: number;

  @Field(() => Timestamp, { description: "Timestamp of the block." })
  blockTimestamp!: string;

  @Field(() => Hash, { description: "Hash of the transaction." })
  txHash!: string;

  @Field(() => String, { description: "Name of the event, such as `SendCrossChainMessage`." })
  event!: string;

  @Field(() => TransactionDirectionType, {
    nullable: true,
    description:
      "`SOURCE_TRANSACTION` for `SendCrossChainMessage`. `DESTINATION_TRANSACTION` for `ReceiveCrossChainMessage`, `MessageExecuted` and `MessageExecutionFailed`. Null for all other events, also for `SendWarpMessage`.",
  })
  direction!: string | null;

  @Field(() => Hash, {
    description: "Id of the message. A Teleporter message and the warp message that contains it have different ids.",
  })
  messageId!: string;

  @Field(() => Address, { description: "Contract that emitted the event." })
  messenger!: string;

  @Field(() => Quantity, { nullable: true, description: "Nonce of the message; null if the event has none." })
  messageNonce!: string | null;

  @Field(() => Address, { nullable: true, description: "Sender of the message; null if the event has none." })
  originSender!: string | null;

  @Field(() => Address, { nullable: true, description: "Recipient of the message; null if the event has none." })
  destinationAddress!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description: "Gas limit required to execute the message; null if the event has none.",
  })
  requiredGasLimit!: string | null;

  @Field(() => Address, {
    nullable: true,
    description:
      "Token of the fee, an ERC-20 contract of the source chain; the zero address if there is no fee. Null if the event has no fee.",
  })
  feeToken!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Fee for the relayer, in the smallest unit of the token: in `SendCrossChainMessage` and `AddFeeAmount` the fee that the message has from then on, in `ReceiptReceived` the fee that was paid. Null for all other events.",
  })
  feeAmount!: string | null;

  @Field(() => Address, {
    nullable: true,
    description:
      "In `ReceiveCrossChainMessage`, the account that delivered the message; in `ReceiptReceived`, the address on the source chain that gets the fee. Null for all other events.",
  })
  relayer!: string | null;
}

@ObjectType({ description: "A page of interchain messaging events." })
export class IcmEventConnection extends Connection(
  IcmEvent,
  "Events. In `Query.icmEvents` they are oldest first. In `EvmTransaction.icmEvents` they are in log order.",
) {}

@ObjectType({ description: "A Teleporter message that a transaction sent or received." })
export class TeleporterMessageInfo {
  @Field(() => Hash, { description: "Id of the message." })
  teleporterMessageId!: string;

  @Field(() => TransactionDirectionType, { description: "Whether the message was sent or received." })
  direction!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Source chain of a received message: its EVM chain id if the chain is configured, otherwise its blockchain id. Null for a sent message.",
  })
  sourceChainId!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Destination chain of a sent message: its EVM chain id if the chain is configured, otherwise its blockchain id. Null for a received message.",
  })
  destinationChainId!: string | null;
}

@ArgsType()
export class IcmEventsArgs extends ChainsListArgs {
  @Field(() => Hash, { description: "Id of the message." })
  messageId!: string;
}
