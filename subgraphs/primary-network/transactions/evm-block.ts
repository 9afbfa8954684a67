import { Directive, Field, ObjectType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";

@ObjectType({ description: "A block of an EVM chain." })
@Directive('@key(fields: "chainId blockNumber", resolvable: false)')
export class EvmBlock {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Block height." })
  blockNumber!: string;
}
