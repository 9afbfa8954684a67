import { Directive, Field, ObjectType } from "type-graphql";
import { Quantity } from "../../../core/graph/scalars.ts";
import { graphEnum } from "./graph-enum.ts";

const NodeState = graphEnum({
  name: "NodeState",
  description: "Whether the indexer uses a node of a chain.",
  values: {
    USABLE: "The node answers, and its blocks agree with the indexed ones.",
    UNAVAILABLE: "The node does not answer, or gives wrong answers. The indexer tries it again by itself.",
    QUARANTINED:
      "The node serves another chain, or its blocks contradict the indexed blocks or those of the other nodes. The indexer does not use it until its next start.",
  },
});
type NodeState = keyof typeof NodeState;

@ObjectType({ description: "A node that a chain is indexed from." })
@Directive("@shareable")
export class ChainNode {
  @Field(() => String, {
    description:
      "Name of the node in the settings; by default `node 1`, `node 2` and so on, in the order of the settings.",
  })
  name!: string;

  @Field(() => NodeState, { description: "Whether the indexer uses the node." })
  state!: NodeState;

  @Field(() => Quantity, {
    nullable: true,
    description:
      "Number of the node's latest block, as the indexer last saw it; null if the node has not answered yet.",
  })
  head!: string | null;

  @Field(() => String, { nullable: true, description: "Why the indexer does not use the node; null if it uses it." })
  reason!: string | null;
}

/** A node in the JSON of the progress of an indexer. */
interface NodeRow extends Omit<ChainNode, "head"> {
  readonly head: number | null;
}

/** The nodes in the JSON text of the column `nodes`. */
export function chainNodesOf(text: string): readonly ChainNode[] {
  const nodes = JSON.parse(text) as readonly NodeRow[];
  return nodes.map(({ head, ...node }) => ({ ...node, head: head === null ? null : String(head) }));
}
