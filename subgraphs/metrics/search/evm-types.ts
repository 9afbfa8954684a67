import { Directive, Field, Int, ObjectType } from "type-graphql";
import { Hash, Quantity } from "../../../core/graph/scalars.ts";

// The evm subgraph owns the entities of this file. The search returns their keys.

@ObjectType()
@Directive('@key(fields: "chainId txHash", resolvable: false)')
export class EvmTransaction {
  @Field(() => String)
  chainId!: string;

  @Field(() => Hash)
  txHash!: string;
}

@ObjectType()
@Directive('@key(fields: "chainId blockNumber logIndex", resolvable: false)')
export class IcmEvent {
  @Field(() => String)
  chainId!: string;

  @Field(() => Quantity)
  blockNumber!: string;

  @Field(() => Int)
  logIndex!: number;
}
