import { Directive, Field, ObjectType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Id, NodeId } from "./scalars.ts";

// The primary-network subgraph owns the entities of this file. The search returns their keys.

@ObjectType({ description: "A block of a chain of a primary network." })
@Directive('@key(fields: "network chainName blockNumber", resolvable: false)')
export class PrimaryNetworkBlock {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Chain: `p-chain`, `x-chain` or `c-chain`." })
  chainName!: string;

  @Field(() => Quantity, { description: "Block height." })
  blockNumber!: string;
}

@ObjectType({ description: "A vertex of the X-Chain, from before Cortina." })
@Directive('@key(fields: "network vertexHash", resolvable: false)')
export class XChainVertex {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Vertex ID." })
  vertexHash!: string;
}

@ObjectType({ description: "A transaction of the P-Chain or the X-Chain, or an atomic transaction of the C-Chain." })
@Directive('@key(fields: "network txHash", resolvable: false)')
export class PrimaryNetworkTransaction {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Transaction ID." })
  txHash!: string;
}

@ObjectType({ description: "A subnet." })
@Directive('@key(fields: "network subnetId", resolvable: false)')
export class Subnet {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Subnet ID." })
  subnetId!: string;
}

@ObjectType({ description: "A blockchain registered on the P-Chain, or the P-Chain itself." })
@Directive('@key(fields: "network blockchainId", resolvable: false)')
export class Blockchain {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Blockchain ID." })
  blockchainId!: string;
}

@ObjectType({ description: "A validator of an L1." })
@Directive('@key(fields: "network validationId", resolvable: false)')
export class L1Validator {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Validation ID." })
  validationId!: string;
}

@ObjectType({ description: "A node in its role as validator, with all its validations." })
@Directive('@key(fields: "nodeId", resolvable: false)')
export class ValidatorNode {
  @Field(() => NodeId, { description: "Node ID." })
  nodeId!: string;
}
