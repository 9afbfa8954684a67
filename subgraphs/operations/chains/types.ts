import { Directive, Field, ObjectType } from "type-graphql";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Id } from "../scalars.ts";

/** An EVM chain; the evm subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "chainId", resolvable: false)')
export class Chain {
  @Field(() => String)
  chainId!: string;
}

/** A blockchain of a primary network; the primary-network subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "network blockchainId", resolvable: false)')
export class Blockchain {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  blockchainId!: string;
}
