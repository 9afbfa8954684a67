import { Directive, Field, ObjectType } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";
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

/** An address of an EVM chain; the evm and metrics subgraphs own it. */
@ObjectType()
@Directive('@key(fields: "chainId address", resolvable: false)')
export class EvmAddress {
  @Field(() => String)
  chainId!: string;

  @Field(() => Address)
  address!: string;
}

/** An address of a primary network; the primary-network subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "network address", resolvable: false)')
export class PrimaryNetworkAddress {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => String)
  address!: string;
}
