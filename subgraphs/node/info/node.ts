import { ObjectType } from "type-graphql";
import type { Info } from "./info.ts";

@ObjectType({ description: "The Info API of a network's node. The node is asked only for the selected fields." })
export class Node {
  /** The source of the answers. */
  info!: Info;
}
