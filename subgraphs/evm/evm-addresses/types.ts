import { Directive, Field, ObjectType } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";

/** The metrics subgraph owns this entity. */
@ObjectType({
  description:
    "An address on one EVM chain: an account or a contract. Every address exists on every chain, even if nothing is known of the address.",
})
@Directive('@key(fields: "chainId address")')
export class EvmAddress {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "The address." })
  address!: string;
}
