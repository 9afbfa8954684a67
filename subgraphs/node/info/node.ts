import { ObjectType } from "type-graphql";
import type { Info } from "./info.ts";

@ObjectType({
  description:
    "The Info API of a node. For each selected field, only the Info method that the field needs is called. If the data of a field is not available, the field is null, with the error `NODE_REFUSED` if the node returns an error, or `UPSTREAM_FAILED` if the node does not answer.",
})
export class Node {
  /** The source of the answers. */
  info!: Info;
}
