import { Directive, Field, ObjectType } from "type-graphql";

/** An EVM chain; the evm subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "chainId")')
export class Chain {
  @Field(() => String)
  chainId!: string;
}
