import { ArgsType, Field, ObjectType } from "type-graphql";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Address, Hash, Quantity, Timestamp } from "../../../core/graph/scalars.ts";

/** Fields that every kind of transfer has: where on the chain it happened. */
@ObjectType()
export abstract class TransferLocation {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Number of the block." })
  blockNumber!: string;

  @Field(() => Timestamp, { description: "Timestamp of the block." })
  blockTimestamp!: string;

  @Field(() => Hash, { description: "Hash of the block." })
  blockHash!: string;

  @Field(() => Hash, { description: "Hash of the transaction." })
  txHash!: string;
}

/** Arguments of the lists of transfers by address. */
@ArgsType()
export abstract class TransfersArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Sender or recipient." })
  address!: string;

  @Field(() => Quantity, { nullable: true, description: "First block of the range (inclusive). Default: genesis." })
  startBlock?: string | null;

  @Field(() => Quantity, {
    nullable: true,
    description: "End of the range (exclusive). Default: no end.",
  })
  endBlock?: string | null;
}
