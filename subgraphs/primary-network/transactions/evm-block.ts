import { Directive, Field, ObjectType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";

@ObjectType()
@Directive('@key(fields: "chainId blockNumber", resolvable: false)')
export class EvmBlock {
  @Field(() => String)
  chainId!: string;

  @Field(() => Quantity)
  blockNumber!: string;
}
