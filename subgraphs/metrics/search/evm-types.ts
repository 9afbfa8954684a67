import { Directive, Field, Int, ObjectType } from "type-graphql";
import { Hash, Quantity } from "../../../core/graph/scalars.ts";

// The evm subgraph owns the entities of this file. The search returns their keys.

@ObjectType({ description: "A block of an EVM chain." })
@Directive('@key(fields: "chainId blockNumber", resolvable: false)')
export class EvmBlock {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Number (height) of the block." })
  blockNumber!: string;
}

@ObjectType({ description: "A transaction of an EVM chain, with its receipt." })
@Directive('@key(fields: "chainId txHash", resolvable: false)')
export class EvmTransaction {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Hash, { description: "Hash of the transaction." })
  txHash!: string;
}

@ObjectType({
  description: "An event of an interchain message, emitted by a Teleporter messenger or by the warp precompile.",
})
@Directive('@key(fields: "chainId blockNumber logIndex", resolvable: false)')
export class IcmEvent {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Quantity, { description: "Number of the block." })
  blockNumber!: string;

  @Field(() => Int, { description: "Index of the log in the block." })
  logIndex!: number;
}
