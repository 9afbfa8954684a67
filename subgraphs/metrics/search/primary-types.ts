import { Directive, Field, ObjectType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Id, NodeId } from "./scalars.ts";

// The primary-network subgraph owns the entities of this file. The search returns their keys.

@ObjectType()
@Directive('@key(fields: "network chainName blockNumber", resolvable: false)')
export class PrimaryNetworkBlock {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => String)
  chainName!: string;

  @Field(() => Quantity)
  blockNumber!: string;
}

@ObjectType()
@Directive('@key(fields: "network vertexHash", resolvable: false)')
export class XChainVertex {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  vertexHash!: string;
}

@ObjectType()
@Directive('@key(fields: "network txHash", resolvable: false)')
export class PrimaryNetworkTransaction {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  txHash!: string;
}

@ObjectType()
@Directive('@key(fields: "network subnetId", resolvable: false)')
export class Subnet {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  subnetId!: string;
}

@ObjectType()
@Directive('@key(fields: "network blockchainId", resolvable: false)')
export class Blockchain {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  blockchainId!: string;
}

@ObjectType()
@Directive('@key(fields: "network validationId", resolvable: false)')
export class L1Validator {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  validationId!: string;
}

@ObjectType()
@Directive('@key(fields: "nodeId", resolvable: false)')
export class ValidatorNode {
  @Field(() => NodeId)
  nodeId!: string;
}

@ObjectType()
@Directive('@key(fields: "network address", resolvable: false)')
export class PrimaryNetworkAddress {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => String)
  address!: string;
}
