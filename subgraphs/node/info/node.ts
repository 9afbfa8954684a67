import { ObjectType } from "type-graphql";
import type { Info } from "./info.ts";

@ObjectType({ description: "The Info API of a node. Each selected field calls only the Info method that it needs." })
export class Node {
  /** The source of the answers. */
  info!: Info;
}
