import { Directive, Field, ObjectType } from "type-graphql";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Id } from "../scalars.ts";

/** An EVM chain; the evm subgraph owns it. */
@ObjectType({ description: "An EVM chain that this installation serves." })
@Directive('@key(fields: "chainId", resolvable: false)')
export class Chain {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;
}

/** A blockchain of a primary network; the primary-network subgraph owns it. */
@ObjectType({ description: "A blockchain registered on the P-Chain, or the P-Chain itself." })
@Directive('@key(fields: "network blockchainId", resolvable: false)')
export class Blockchain {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Blockchain id." })
  blockchainId!: string;
}
