import { Directive, Field, ObjectType } from "type-graphql";
import { Address, Quantity } from "../../../core/graph/scalars.ts";

// The evm and metrics subgraphs own the entities of this file. Links to them are their keys.

@ObjectType()
@Directive('@key(fields: "chainId address", resolvable: false)')
export class EvmAddress {
  @Field(() => String)
  chainId!: string;

  @Field(() => Address)
  address!: string;
}

@ObjectType()
@Directive('@key(fields: "chainId address", resolvable: false)')
export class Contract {
  @Field(() => String)
  chainId!: string;

  @Field(() => Address)
  address!: string;
}

@ObjectType()
@Directive('@key(fields: "chainId blockNumber", resolvable: false)')
export class EvmBlock {
  @Field(() => String)
  chainId!: string;

  @Field(() => Quantity)
  blockNumber!: string;
}
