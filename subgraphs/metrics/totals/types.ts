import { Field, ObjectType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";

@ObjectType({ description: "Counts of a chain since its genesis block, which is not counted." })
export class ChainTotals {
  @Field(() => Quantity, { description: "Number of blocks." })
  blocks!: string;

  @Field(() => Quantity, { description: "Number of transactions." })
  transactions!: string;

  @Field(() => Quantity, {
    description:
      "Number of addresses that sent or received a transaction, and of contracts that a transaction created directly.",
  })
  addresses!: string;

  @Field(() => Quantity, {
    description:
      "Number of contract creations. For blocks without call trees (capability `TRACES`), only contracts that a transaction creates directly are counted.",
  })
  contracts!: string;
}
