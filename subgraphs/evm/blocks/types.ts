import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Address, Hash, Integer, Quantity, Timestamp } from "../../../core/scalars.ts";
import type { EvmBlock as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";

export type EvmBlockRow = TextRow<Row>;

@ObjectType({ description: "A block of an EVM chain.", simpleResolvers: true })
@Directive('@key(fields: "chainId blockNumber")')
@Directive('@key(fields: "chainId blockHash")')
export class EvmBlock implements EvmBlockRow {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Height." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "When the block was made." })
  blockTimestamp!: string;

  @Field(() => Integer, { nullable: true, description: "The same in milliseconds; null before Granite." })
  blockTimestampMilliseconds!: string | null;

  @Field(() => Integer, { nullable: true, description: "Minimum delay excess (ACP-226); null before Granite." })
  blockMinDelayExcess!: string | null;

  @Field(() => Hash, { description: "Hash." })
  blockHash!: string;

  @Field(() => Hash, { description: "Hash of the block before." })
  parentHash!: string;

  @Field(() => Int, { description: "Number of transactions in the block." })
  txCount!: number;

  @Field(() => Quantity, {
    description: "Base fee of a unit of gas; on a C-Chain past Helicon (ACP-194) the most that it may be.",
  })
  baseFee!: string;

  @Field(() => Quantity, {
    description: "Gas used by the transactions; on a C-Chain past Helicon the most that they may use.",
  })
  gasUsed!: string;

  @Field(() => Quantity, { description: "Gas that the block had room for." })
  gasLimit!: string;

  @Field(() => Quantity, { description: "Block gas cost (Apricot Phase 4)." })
  gasCost!: string;

  @Field(() => Quantity, { description: "Fees that the transactions paid, in the network token's smallest unit." })
  feesSpent!: string;

  @Field(() => Quantity, { description: "Transactions of the chain up to and including this block." })
  cumulativeTransactions!: string;

  @Field(() => Hash, { description: "State root; on a C-Chain past Helicon that of the last block that it settles." })
  stateRoot!: string;

  @Field(() => Hash, { description: "Receipts root; on a C-Chain past Helicon that of the blocks that it settles." })
  receiptsRoot!: string;

  @Field(() => Address, { description: "Coinbase." })
  miner!: string;

  @Field(() => Int, { description: "Size of the block in bytes." })
  sizeBytes!: number;
}

@ObjectType({ description: "A page of blocks.", simpleResolvers: true })
export class EvmBlockPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [EvmBlock], { description: "Blocks, newest first." })
  blocks!: EvmBlock[];
}

@ArgsType()
export class EvmBlocksArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;
}

@ArgsType()
export class EvmBlockArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Quantity, { nullable: true, description: "Height; with both given, both must match." })
  blockNumber?: string | null;

  @Field(() => Hash, { nullable: true, description: "Hash." })
  blockHash?: string | null;
}
