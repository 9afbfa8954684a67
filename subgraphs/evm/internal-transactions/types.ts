import { ArgsType, Directive, Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Quantity } from "../../../core/graph/scalars.ts";
import type { EvmInternalTransaction as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { RichAddress } from "../addresses/types.ts";
import { TransferLocation, TransfersArgs } from "../transfers/types.ts";

const InternalTransactionOpCall = {
  UNKNOWN: "UNKNOWN",
  CALL: "CALL",
  CREATE: "CREATE",
  CREATE2: "CREATE2",
  CREATE3: "CREATE3",
  CALLCODE: "CALLCODE",
  DELEGATECALL: "DELEGATECALL",
  STATICCALL: "STATICCALL",
} as const;

registerEnumType(InternalTransactionOpCall, {
  name: "InternalTransactionOpCall",
  description: "Type of an internal transaction.",
  valuesConfig: {
    UNKNOWN: { description: "Any other opcode that transfers the native token, such as `SELFDESTRUCT`; see `opcode`." },
    CALL: { description: "A call of a contract or a transfer to an account." },
    CREATE: { description: "Creation of a contract." },
    CREATE2: { description: "Creation of a contract at an address derived from its code and a salt." },
    CREATE3: {
      description:
        "Never returned. CREATE3 is not an opcode: it deploys a proxy with `CREATE2`, and the proxy creates the contract with `CREATE`. Both are listed.",
    },
    CALLCODE: { description: "Runs the code of another contract on the caller's own storage and balance." },
    DELEGATECALL: { description: "Never returned: such calls transfer no value." },
    STATICCALL: { description: "Never returned: such calls transfer no value." },
  },
});

/** Columns that are read only if they are selected: they can be long. */
export type CallData = "input" | "output";

@ObjectType({ description: "A call within a transaction that transfers the native token or creates a contract." })
@Directive('@key(fields: "chainId blockNumber blockIndex traceIndex")')
export class EvmInternalTransaction extends TransferLocation implements Omit<TextRow<Row>, "from" | "to" | CallData> {
  @Field(() => Int, { description: "Index of the transaction in the block." })
  blockIndex!: number;

  @Field(() => Int, {
    description:
      "Position in the transaction's call tree, depth first. The outermost call, which is the transaction itself and is not listed, has 0.",
  })
  traceIndex!: number;

  @Field(() => RichAddress, { description: "Caller." })
  from!: RichAddress;

  @Field(() => RichAddress, {
    description:
      "Callee or created contract; for a `SELFDESTRUCT`, the recipient of the balance. The zero address if a creation failed, because nodes return no address for it.",
  })
  to!: RichAddress;

  @Field(() => InternalTransactionOpCall, { description: "Type of the internal transaction." })
  internalTxType!: string;

  @Field(() => String, { description: "Opcode as the node names it, such as `SELFDESTRUCT`." })
  opcode!: string;

  @Field(() => Quantity, { description: "Amount of the native token, in its smallest unit." })
  value!: string;

  @Field(() => Boolean, {
    description: "True if the call's effects were reverted, because the call itself or a call that contains it failed.",
  })
  isReverted!: boolean;

  @Field(() => Quantity, { description: "Gas used." })
  gasUsed!: string;

  @Field(() => Quantity, { description: "Gas limit." })
  gasLimit!: string;
}

@ObjectType({ description: "A page of internal transactions." })
export class EvmInternalTransactionConnection extends Connection(
  EvmInternalTransaction,
  "Internal transactions. In `Query.internalTransactions` they are newest first. In `EvmTransaction.internalTransactions` they are in the order of the call tree.",
) {}

@ArgsType()
export class InternalTransactionsArgs extends TransfersArgs {}
