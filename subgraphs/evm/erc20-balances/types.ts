import { ArgsType, Field } from "type-graphql";
import { Address, Quantity } from "../../../core/scalars.ts";

@ArgsType()
export class Erc20BalanceArgs {
  @Field(() => Address, { description: "Address of the holder." })
  address!: string;

  @Field(() => Quantity, {
    nullable: true,
    description: "Block after which the balance is returned. Default: the last indexed block.",
  })
  blockNumber?: string | null;
}
