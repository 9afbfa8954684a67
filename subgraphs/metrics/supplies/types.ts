import { ArgsType, Field } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";

@ArgsType()
export class AtBlockArgs {
  @Field(() => Quantity, {
    nullable: true,
    description:
      "Block number. The value includes this block and all blocks before it. Default: the last indexed block. Fails with `INVALID_PARAMETER` for a block that is not indexed.",
  })
  blockNumber?: string | null;
}
