import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Address, Hash, Hex, Quantity, Timestamp } from "../../../core/scalars.ts";
import type { EvmTransaction as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";

export type EvmTransactionRow = TextRow<Row>;

/** `from` and `to` are addresses here; their resolvers say what is known of them. */
@ObjectType({ description: "A native transaction of an EVM chain, with its receipt.", simpleResolvers: true })
@Directive('@key(fields: "chainId txHash")')
export class EvmTransaction implements EvmTransactionRow {
  from!: string;
  to!: string | null;
  logCount!: number;
  /** Base fee of its block, where that was read along with it. */
  baseFee?: string;
  /** Whether one of its addresses is a token, where that was read along with it. */
  namesToken?: boolean;

  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Height of its block." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "When its block was made." })
  blockTimestamp!: string;

  @Field(() => Hash, { description: "Hash of its block." })
  blockHash!: string;

  @Field(() => Int, { description: "Position in its block." })
  blockIndex!: number;

  @Field(() => Hash, { description: "Hash." })
  txHash!: string;

  @Field(() => String, { description: "`1` when it succeeded, `0` when it failed." })
  txStatus!: number;

  @Field(() => Int, { description: "Type of envelope (EIP-2718)." })
  txType!: number;

  @Field(() => Quantity, { description: "Gas that it might use at most." })
  gasLimit!: string;

  @Field(() => Quantity, { description: "Gas that it used." })
  gasUsed!: string;

  @Field(() => Quantity, { description: "Gas used in its block up to and including it." })
  cumulativeGasUsed!: string;

  @Field(() => Quantity, { description: "What was paid for a unit of gas." })
  gasPrice!: string;

  @Field(() => Quantity, { description: "Nonce of the sender." })
  nonce!: string;

  @Field(() => Quantity, { description: "Amount sent, in the network token's smallest unit." })
  value!: string;

  @Field(() => Hex, { description: "Call data." })
  input!: string;

  @Field(() => Quantity, { nullable: true, description: "Most that was offered for a unit of gas; null: not said." })
  maxFeePerGas!: string | null;

  @Field(() => Quantity, { nullable: true, description: "Most that was offered as tip; null: not said." })
  maxPriorityFeePerGas!: string | null;

  @Field(() => Address, { nullable: true, description: "The contract that it was to create; null: no creation." })
  contractAddress!: string | null;
}

@ObjectType({ description: "A page of transactions.", simpleResolvers: true })
export class EvmTransactionPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [EvmTransaction], { description: "Newest first; within a block that was asked for, in its order." })
  transactions!: EvmTransaction[];
}

@ArgsType()
export class EvmTransactionsArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { nullable: true, description: "Only transactions from or to this address." })
  address?: string | null;
}

@ArgsType()
export class BelowArgs extends PageArgs({ max: 100, initial: 10 }) {}
