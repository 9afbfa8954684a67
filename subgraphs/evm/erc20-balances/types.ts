import { ArgsType, Field } from "type-graphql";
import { Address, Quantity } from "../../../core/scalars.ts";

@ArgsType()
export class Erc20BalanceArgs {
  @Field(() => Address, { description: "Who holds it." })
  address!: string;

  @Field(() => Quantity, { nullable: true, description: "Block after which. Default: the last indexed block." })
  blockNumber?: string | null;
}
