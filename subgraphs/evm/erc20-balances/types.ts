import { ArgsType, Field } from "type-graphql";
import { Address, Quantity } from "../../../core/graph/scalars.ts";

@ArgsType()
export class Erc20BalanceArgs {
  @Field(() => Address, { description: "Address of the holder." })
  address!: string;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Block number. The balance includes this block and all blocks before it. Default: the last indexed block.",
  })
  blockNumber?: string | null;
}
