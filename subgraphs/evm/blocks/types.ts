import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Address, Hash, Integer, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { EvmBlock as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { BlockRangeArgs } from "../ranged-lists/args.ts";

@ObjectType({ description: "A block of an EVM chain." })
@Directive('@key(fields: "chainId blockNumber")')
@Directive('@key(fields: "chainId blockHash")')
export class EvmBlock implements TextRow<Row> {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Number (height) of the block." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "Timestamp of the block." })
  blockTimestamp!: string;

  @Field(() => Integer, {
    nullable: true,
    description: "Timestamp in milliseconds; null for blocks before the Granite upgrade.",
  })
  blockTimestampMilliseconds!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description: "Minimum delay excess (ACP-226); null for blocks before the Granite upgrade.",
  })
  blockMinDelayExcess!: string | null;

  @Field(() => Hash, { description: "Hash of the block." })
  blockHash!: string;

  @Field(() => Hash, { description: "Hash of the parent block." })
  parentHash!: string;

  @Field(() => Int, { description: "Number of transactions in the block." })
  txCount!: number;

  @Field(() => Quantity, {
    description:
      "Base fee per unit of gas, from the block header; 0 if the header has none. After the Helicon upgrade (ACP-194), the header of a C-Chain block is made before the block is executed. It contains the highest base fee that the transactions of the block may have to pay.",
  })
  baseFee!: string;

  @Field(() => Quantity, {
    description:
      "Gas used by the transactions, from the block header. After the Helicon upgrade (ACP-194), a C-Chain header contains the maximum amount of gas that its transactions can use.",
  })
  gasUsed!: string;

  @Field(() => Quantity, { description: "Gas limit of the block." })
  gasLimit!: string;

  @Field(() => Quantity, { description: "Block gas cost (Apricot Phase 4); 0 if the header has none." })
  gasCost!: string;

  @Field(() => Quantity, { description: "Fees paid by the transactions, in the native token's smallest unit." })
  feesSpent!: string;

  @Field(() => Quantity, { description: "Number of transactions of the chain up to and including the block." })
  cumulativeTransactions!: string;

  @Field(() => Hash, {
    description:
      "State root. After the Helicon upgrade (ACP-194), a C-Chain header contains the state root of the last block that this block settles.",
  })
  stateRoot!: string;

  @Field(() => Hash, {
    description:
      "Receipts root. After the Helicon upgrade (ACP-194), a C-Chain header contains the receipts root of the blocks that this block settles.",
  })
  receiptsRoot!: string;

  @Field(() => Address, { description: "Coinbase address." })
  miner!: string;

  @Field(() => Int, { description: "Size of the block in bytes." })
  sizeBytes!: number;
}

@ObjectType({ description: "A page of blocks." })
export class EvmBlockConnection extends Connection(EvmBlock, "Blocks, newest first.") {}

@ArgsType()
export class EvmBlocksArgs extends BlockRangeArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;
}

@ArgsType()
export class EvmBlockArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Quantity, {
    nullable: true,
    description: "Number of the block. If `blockHash` is given too, both must match.",
  })
  blockNumber?: string | null;

  @Field(() => Hash, { nullable: true, description: "Hash of the block." })
  blockHash?: string | null;
}

@ArgsType()
export class BlockAddedArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "First block to send: one of the last 1,000 blocks, or the next one. Default: the next one. Any other number fails with `INVALID_PARAMETER`.",
  })
  fromBlock?: string | null;
}
