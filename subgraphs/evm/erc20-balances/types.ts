import { ArgsType, Field } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";
import { StateAt } from "../../shared/schema/state-at.ts";

@ArgsType()
export class Erc20BalanceArgs {
  @Field(() => Address, { description: "Address of the holder." })
  address!: string;

  @Field(() => StateAt, { nullable: true, description: "Block of the balance. Default: the last indexed block." })
  at?: StateAt | null;
}
