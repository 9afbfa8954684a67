import { Directive, Field, ObjectType } from "type-graphql";

/** An EVM chain; the evm subgraph owns it. */
@ObjectType({ description: "An EVM chain that this installation serves." })
@Directive('@key(fields: "chainId")')
export class Chain {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;
}
