import { Directive, Field, ObjectType } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";

/** A contract that emitted ERC-20 transfers; the evm subgraph owns it. */
@ObjectType({ description: "A contract that emitted ERC-20 transfers." })
@Directive('@key(fields: "chainId address")')
export class Erc20Token {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;
}
