import { ObjectType } from "type-graphql";
import type { Info } from "./info.ts";

@ObjectType({
  description:
    "The Info API of a node. Each selected field calls only the Info method that it needs. A field is null, with an error, if its data is not available: `NODE_REFUSED` if the node returns an error, `UPSTREAM_FAILED` if it does not answer.",
})
export class Node {
  /** The source of the answers. */
  info!: Info;
}
