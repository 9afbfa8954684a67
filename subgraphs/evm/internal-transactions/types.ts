import { ArgsType, Directive, Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Address, Hash, Quantity, Timestamp } from "../../../core/scalars.ts";
import type { EvmInternalTransaction as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";
import { RichAddress } from "../addresses/types.ts";

export const InternalTransactionOpCall = {
  UNKNOWN: "UNKNOWN",
  CALL: "CALL",
  CREATE: "CREATE",
  CREATE2: "CREATE2",
  CREATE3: "CREATE3",
  CALLCODE: "CALLCODE",
  DELEGATECALL: "DELEGATECALL",
  STATICCALL: "STATICCALL",
} as const;
export type InternalTransactionOpCall = keyof typeof InternalTransactionOpCall;

registerEnumType(InternalTransactionOpCall, {
  name: "InternalTransactionOpCall",
  description: "How a contract moved coin or made a contract.",
  valuesConfig: {
    UNKNOWN: { description: "In any other way, as by destroying itself: `opcode` says which." },
    CALL: { description: "A call." },
    CREATE: { description: "A creation." },
    CREATE2: { description: "A creation at an address that its code and a salt decide." },
    CREATE3: { description: "No opcode of its own: such contracts show as a `CREATE2` and the `CREATE` in it." },
    CALLCODE: { description: "A call of another's code; the coin stays where it is." },
    DELEGATECALL: { description: "Moves no coin, so it is never among them." },
    STATICCALL: { description: "Moves no coin, so it is never among them." },
  },
});

type InternalRow = Omit<TextRow<Row>, "from" | "to">;

@ObjectType({
  description: "A call below a transaction that moves the chain's own coin, or makes a contract.",
  simpleResolvers: true,
})
@Directive('@key(fields: "chainId blockNumber blockIndex traceIndex")')
export class EvmInternalTransaction implements InternalRow {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Height of its block." })
  blockNumber!: string;

  @Field(() => Int, { description: "Position of its transaction in the block." })
  blockIndex!: number;

  @Field(() => Int, {
    description: "Position in the transaction's tree of calls, depth first; 0 would be the outermost.",
  })
  traceIndex!: number;

  @Field(() => Timestamp, { description: "When its block was made." })
  blockTimestamp!: string;

  @Field(() => Hash, { description: "Hash of its block." })
  blockHash!: string;

  @Field(() => Hash, { description: "Transaction that it happened in." })
  txHash!: string;

  @Field(() => RichAddress, { description: "Who called." })
  from!: RichAddress;

  @Field(() => RichAddress, {
    description:
      "Who was called, or made; the zero address for a creation that failed, which nodes name no address of.",
  })
  to!: RichAddress;

  @Field(() => InternalTransactionOpCall, { description: "Kind." })
  internalTxType!: string;

  @Field(() => String, { description: "Kind in the node's word, such as `SELFDESTRUCT`." })
  opcode!: string;

  @Field(() => Quantity, { description: "Amount, in the network token's smallest unit." })
  value!: string;

  @Field(() => Boolean, { description: "Whether it was undone: it failed, or something around it did." })
  isReverted!: boolean;

  @Field(() => Quantity, { description: "Gas that it used." })
  gasUsed!: string;

  @Field(() => Quantity, { description: "Gas that it might use at most." })
  gasLimit!: string;
}

@ObjectType({ description: "A page of internal transactions.", simpleResolvers: true })
export class EvmInternalTransactionPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [EvmInternalTransaction], {
    description: "Newest first; within a transaction that was asked for, in its order.",
  })
  transactions!: EvmInternalTransaction[];
}

@ArgsType()
export class InternalTransactionsArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Who called or was called." })
  address!: string;

  @Field(() => Quantity, { nullable: true, description: "First block, included. Default: genesis." })
  startBlock?: string | null;

  @Field(() => Quantity, { nullable: true, description: "Last block, excluded. Default: up to the newest." })
  endBlock?: string | null;
}
