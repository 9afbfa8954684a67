import { ArgsType, Field } from "type-graphql";
import { Quantity } from "../../../core/scalars.ts";

@ArgsType()
export class AtBlockArgs {
  @Field(() => Quantity, {
    nullable: true,
    description:
      "Block number. The value includes this block and all blocks before it. Default: the last indexed block.",
  })
  blockNumber?: string | null;
}
