import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/served-network.ts";

@ObjectType({ description: "A node in its role as validator, with all its validations." })
@Directive('@key(fields: "nodeId")')
export class ValidatorNode {
  served!: ServedNetwork;

  @Field(() => NodeId, { description: "Node ID." })
  nodeId!: string;

  @Field(() => NetworkName, {
    description:
      "Network of the node's lists of validations, delegations and rewards. The lists are empty if the node never validated in it.",
  })
  network!: NetworkName;
}

@ArgsType()
export class ValidatorNodeArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Node ID, as `NodeID-…`." })
  nodeId!: string;
}
