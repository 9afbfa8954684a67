import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { NetworkName } from "../../shared/network-name.ts";
import { NodeId } from "../identifiers/scalars.ts";
import type { ServedNetwork } from "../networks/store.ts";

@ObjectType({
  description: "A node as a validator, with all that it validates and ever validated.",
  simpleResolvers: true,
})
@Directive('@key(fields: "nodeId")')
export class ValidatorNode {
  /** Its network. */
  served!: ServedNetwork;

  @Field(() => NodeId, { description: "Its id." })
  nodeId!: string;

  @Field(() => NetworkName, { description: "Its network: the one that it validates, where several are served." })
  network!: NetworkName;
}

@ArgsType()
export class ValidatorNodeArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Its id, as `NodeID-…`." })
  nodeId!: string;
}
