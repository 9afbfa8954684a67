import { ArgsType, Directive, Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Address, Hash, Hex, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { EvmTransaction as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { BlockRangeArgs } from "../ranged-lists/args.ts";

/** The status of a receipt, as rows have it. */
const TransactionStatus = { FAILED: 0, SUCCESS: 1 } as const;

registerEnumType(TransactionStatus, {
  name: "TransactionStatus",
  description: "Result of a transaction, as in its receipt.",
  valuesConfig: {
    FAILED: { description: "The transaction failed: its fee is paid, and it changed nothing else." },
    SUCCESS: { description: "The transaction succeeded." },
  },
});

/** `from` and `to` are plain addresses; the resolver adds token metadata to them. */
@ObjectType({ description: "A transaction of an EVM chain, with its receipt." })
@Directive('@key(fields: "chainId txHash")')
export class EvmTransaction implements TextRow<Row> {
  from!: string;
  to!: string | null;
  logCount!: number;

  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Number of the block." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "Timestamp of the block." })
  blockTimestamp!: string;

  @Field(() => Hash, { description: "Hash of the block." })
  blockHash!: string;

  @Field(() => Int, { description: "Index of the transaction in the block." })
  blockIndex!: number;

  @Field(() => Hash, { description: "Hash of the transaction." })
  txHash!: string;

  @Field(() => TransactionStatus, { description: "Whether the transaction succeeded." })
  txStatus!: number;

  @Field(() => Int, { description: "Transaction type (EIP-2718)." })
  txType!: number;

  @Field(() => Quantity, { description: "Gas limit." })
  gasLimit!: string;

  @Field(() => Quantity, { description: "Gas used by the transaction." })
  gasUsed!: string;

  @Field(() => Quantity, { description: "Gas used in the block up to and including the transaction." })
  cumulativeGasUsed!: string;

  @Field(() => Quantity, { description: "Price paid per unit of gas, in the native token's smallest unit." })
  gasPrice!: string;

  @Field(() => Quantity, { description: "Nonce of the sender." })
  nonce!: string;

  @Field(() => Quantity, { description: "Amount of the native token, in its smallest unit." })
  value!: string;

  @Field(() => Hex, { description: "Call data; the init code if the transaction creates a contract." })
  input!: string;

  @Field(() => Quantity, {
    nullable: true,
    description: "Maximum fee per unit of gas (EIP-1559); null if the transaction type has none.",
  })
  maxFeePerGas!: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description: "Maximum priority fee per unit of gas (EIP-1559); null if the transaction type has none.",
  })
  maxPriorityFeePerGas!: string | null;

  @Field(() => Address, {
    nullable: true,
    description:
      "Address of the contract that the transaction creates, also if the transaction failed; null if it creates none.",
  })
  contractAddress!: string | null;
}

@ObjectType({ description: "A page of transactions." })
export class EvmTransactionConnection extends Connection(
  EvmTransaction,
  "Transactions. In `Query.evmTransactions` they are newest first. In `EvmBlock.transactions` they are in the block's order.",
) {}

@ArgsType()
export class EvmTransactionsArgs extends BlockRangeArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;
}

/** Arguments of a list that is a field of another object. */
@ArgsType()
export class NestedPageArgs extends ConnectionArgs({ max: 100, initial: 10 }) {}
