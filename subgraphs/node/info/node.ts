import { ObjectType } from "type-graphql";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { Info } from "./info.ts";

@ObjectType({
  description:
    "The Info API of a node. A selected field calls only the Info method that it needs and, about once a minute, `info.getNetworkID` to verify the node's network. If the data of a field is not available, the field is null, with the error `NODE_REFUSED` if the node returns an error, `UPSTREAM_FAILED` if the node does not answer, or `UNAVAILABLE` if too many calls to the node are running. Without an upstream node, `UNAVAILABLE` means that the data is not indexed yet.",
})
export class Node {
  network!: NetworkName;

  /** The source of the answers. */
  info!: Info;
}
