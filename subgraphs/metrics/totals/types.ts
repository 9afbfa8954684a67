import { Field, ObjectType } from "type-graphql";
import { Quantity } from "../../../core/scalars.ts";

@ObjectType({ description: "Counts of a chain since its genesis block, which is not counted.", simpleResolvers: true })
export class ChainTotals {
  @Field(() => Quantity, { description: "Number of blocks." })
  blocks!: string;

  @Field(() => Quantity, { description: "Number of transactions." })
  transactions!: string;

  @Field(() => Quantity, {
    description:
      "Number of addresses that sent or received a transaction, and of contracts that a transaction itself created.",
  })
  addresses!: string;

  @Field(() => Quantity, {
    description:
      "Number of contract creations. Without call trees (capability `traces`), only those by transactions themselves.",
  })
  contracts!: string;
}
