import { Directive, Field, ObjectType } from "type-graphql";
import { Integer } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { Id, NodeId } from "../scalars.ts";

@ObjectType({ description: "A node that the asked node is connected to.", simpleResolvers: true })
export class NodePeer {
  @Field(() => NodeId, { description: "Node id." })
  nodeId!: string;

  @Field(() => String, {
    description: "Address and port of the connection; of one that it opened itself, a passing port.",
  })
  ip!: string;

  @Field(() => String, {
    description: "Address and port at which it says that it can be reached; empty where it does not.",
  })
  publicIp!: string;

  @Field(() => String, { description: "Release that it runs." })
  version!: string;

  @Field(() => Integer, { description: "When the next upgrade that it knows of becomes active, in seconds." })
  upgradeTime!: number;

  @Field(() => String, { description: "When the last message was sent to it, as RFC 3339." })
  lastSent!: string;

  @Field(() => String, { description: "When the last message came from it, as RFC 3339." })
  lastReceived!: string;

  @Field(() => Integer, {
    description: "Uptime of the asked node on the primary network as this peer observes it, in percent.",
  })
  observedUptime!: number;

  @Field(() => [String], { description: "Subnets that it tracks, the primary network among them." })
  trackedSubnets!: string[];

  @Field(() => [Integer], { description: "Community proposals that it supports." })
  supportedAcps!: number[];

  @Field(() => [Integer], { description: "Those that it objects to." })
  objectedAcps!: number[];

  @Field(() => [String], { description: "Chains whose requests are kept from it." })
  benched!: string[];
}

/** A validation, which the primary-network subgraph describes. */
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

/** A validator of an L1, which the primary-network subgraph describes. */
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
