import { ArgsType, Field, ObjectType } from "type-graphql";
import { Address, Hash, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { AddressTransfersArgs } from "../ranged-lists/args.ts";

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
export abstract class TransfersArgs extends AddressTransfersArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Sender or recipient." })
  address!: string;
}
