import { Directive, Field, ObjectType } from "type-graphql";
import { NetworkName } from "../shared/schema/network-name.ts";
import { Id, NodeId } from "./scalars.ts";

/** A node in its role as validator; the primary-network subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "nodeId", resolvable: false)')
export class ValidatorNode {
  @Field(() => NodeId)
  nodeId!: string;
}

/** A blockchain; the primary-network subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "network blockchainId", resolvable: false)')
export class Blockchain {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  blockchainId!: string;
}
