import { Directive, Field, ObjectType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";

/** A block of an EVM chain; the evm subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "chainId blockNumber", resolvable: false)')
export class EvmBlock {
  @Field(() => String)
  chainId!: string;

  @Field(() => Quantity)
  blockNumber!: string;
}
