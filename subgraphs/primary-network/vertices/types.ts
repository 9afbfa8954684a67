import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { ConnectionArgs } from "../../../core/graph/connection-args.ts";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Id } from "../identifiers/scalars.ts";
import { PrimaryNetworkChainInfo } from "../networks/types.ts";

@ObjectType({
  description: "A vertex of the X-Chain. The X-Chain has vertices before Cortina, and blocks from Cortina on.",
})
@Directive('@key(fields: "network vertexHash")')
export class XChainVertex {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Vertex ID." })
  vertexHash!: string;

  @Field(() => [Id], { description: "IDs of the parent vertices. Empty for the first vertex." })
  parentHashes!: string[];

  @Field(() => Quantity, {
    description: "Height: one more than the greatest height of its parents; 0 if it has no parents.",
  })
  vertexHeight!: string;

  @Field(() => Quantity, { description: "Index in the order of acceptance." })
  vertexIndex!: string;

  @Field(() => Timestamp, {
    description:
      "Time at which the vertex was accepted. It comes from the file that the setting `primaryNetworks[].vertexTimesFile` names. Without the file, or if the file does not contain the vertex, it is the time when the indexed node (the node from which the vertices of this network are indexed) accepted the vertex. A vertex itself contains no time. If the indexed node processed the vertex later, as the blocks of the chains show, the time is an estimate: the latest time that the blocks allow.",
  })
  vertexTimestamp!: string;

  @Field(() => Boolean, { description: "True if `vertexTimestamp` is an estimate." })
  isTimestampEstimated!: boolean;

  @Field(() => Timestamp, {
    description:
      "Earliest time at which the vertex can have been accepted. Equal to `vertexTimestamp` if that is exact.",
  })
  earliestTimestamp!: string;

  @Field(() => Int, { description: "Number of transactions." })
  txCount!: number;

  @Field(() => [Id], { description: "Transaction IDs in vertex order." })
  txHashes!: string[];

  @Field(() => Int, { description: "Size in bytes." })
  vertexSizeBytes!: number;
}

@ObjectType({ description: "A page of vertices." })
export class XChainVertexConnection extends Connection(XChainVertex, "Vertices, last accepted first.") {
  @Field(() => PrimaryNetworkChainInfo, { description: "The chain." })
  chainInfo!: PrimaryNetworkChainInfo;
}

@ArgsType()
export class XChainVerticesArgs extends ConnectionArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "`x-chain` or the blockchain ID of the X-Chain, as CB58 or hex." })
  blockchainId!: string;
}

@ArgsType()
export class XChainVertexArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Vertex ID as CB58 or hex." })
  vertexHash!: string;
}
