import { Directive, Field, ObjectType } from "type-graphql";
import { Integer, Quantity } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Id, NodeId } from "../scalars.ts";

@ObjectType({ description: "A node that is connected to the upstream node (`Query.node`)." })
export class NodePeer {
  @Field(() => NodeId, { description: "Node id." })
  nodeId!: string;

  @Field(() => String, {
    description:
      "Address and port of the connection. If the peer opened the connection, the port is ephemeral. Empty on a server that is open to the public (setting `nodeInterface.public`).",
  })
  ip!: string;

  @Field(() => String, {
    description:
      "Address and port that the peer advertises. Empty if it advertises none, and on a server that is open to the public (setting `nodeInterface.public`).",
  })
  publicIp!: string;

  @Field(() => String, { description: "Software version of the peer." })
  version!: string;

  @Field(() => Quantity, {
    description:
      "Activation time of the latest upgrade, as the peer claims it: Unix time in seconds, any integer of 64 bits. 0 if the node does not return it.",
  })
  upgradeTime!: string;

  @Field(() => String, { description: "Time at which the last message was sent to the peer (RFC 3339)." })
  lastSent!: string;

  @Field(() => String, { description: "Time at which the last message was received from the peer (RFC 3339)." })
  lastReceived!: string;

  @Field(() => Integer, {
    description:
      "Uptime of the upstream node (`Query.node`) as observed by this peer, in percent. 0 if the node does not return it.",
  })
  observedUptime!: number;

  @Field(() => [String], { description: "Ids of the subnets that the peer tracks, including the primary network." })
  trackedSubnets!: string[];

  @Field(() => [Integer], {
    description: "Numbers of the ACPs (Avalanche Community Proposals) that the peer supports.",
  })
  supportedAcps!: number[];

  @Field(() => [Integer], { description: "Numbers of the ACPs that the peer objects to." })
  objectedAcps!: number[];

  @Field(() => [String], {
    description:
      "Chains on which the upstream node (`Query.node`) has benched this peer: the upstream node sends the peer no requests for these chains.",
  })
  benched!: string[];
}

/** A validator; the primary-network subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "network txHash")')
export class Validator {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  txHash!: string;

  @Directive("@external")
  @Field(() => NodeId)
  nodeId!: string;
}

/** A validator of an L1; the primary-network subgraph owns it. */
@ObjectType()
@Directive('@key(fields: "network validationId")')
export class L1Validator {
  @Field(() => NetworkName)
  network!: NetworkName;

  @Field(() => Id)
  validationId!: string;

  @Directive("@external")
  @Field(() => NodeId)
  nodeId!: string;
}
