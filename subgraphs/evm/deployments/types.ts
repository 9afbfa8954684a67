import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { Address, Hash, Quantity } from "../../../core/scalars.ts";
import type { EvmDeployment as Row } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";
import type { EvmTransaction } from "../transactions/types.ts";

/** Which lists below a transaction are not empty. */
export type TransactionContents = Readonly<
  Record<
    "erc20Transfers" | "erc721Transfers" | "erc1155Transfers" | "internalTransactions" | "teleporterMessageInfo",
    boolean
  >
>;

/** What hangs on it is asked only when it is selected. */
@ObjectType({ description: "A contract's coming to be.", simpleResolvers: true })
@Directive('@key(fields: "chainId address blockNumber blockIndex traceIndex")')
export class Deployment implements TextRow<Row> {
  /** Its transaction, where that was read along with it. */
  native?: EvmTransaction;
  /** What that has, where it was read along with it. */
  parts?: TransactionContents;
  /** Whether the call trees of its block are known, where that was read along with it. */
  isTraced?: boolean;

  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "The contract." })
  address!: string;

  @Field(() => Quantity, { description: "Height of its block." })
  blockNumber!: string;

  @Field(() => Int, { description: "Position of its transaction in the block." })
  blockIndex!: number;

  @Field(() => Int, {
    description: "Position in the transaction's tree of calls, depth first; 0: by the transaction itself.",
  })
  traceIndex!: number;

  @Field(() => Hash, { description: "Transaction that made it." })
  txHash!: string;

  @Field(() => Address, { description: "Who made it: the sender of the transaction, or a contract." })
  creator!: string;

  @Field(() => String, { description: "`CREATE` or `CREATE2`." })
  opcode!: string;
}

@ObjectType({ description: "A page of deployments.", simpleResolvers: true })
export class DeploymentPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [Deployment], {
    description: "Of a contract the newest first; of a transaction in its order.",
  })
  deployments!: Deployment[];
}

@ArgsType()
export class DeploymentArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "The contract." })
  address!: string;
}
