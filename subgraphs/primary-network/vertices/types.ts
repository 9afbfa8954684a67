import { ArgsType, Directive, Field, Int, ObjectType } from "type-graphql";
import { PageArgs } from "../../../core/page.ts";
import { Integer, Timestamp } from "../../../core/scalars.ts";
import { NetworkName } from "../../shared/network-name.ts";
import { Id } from "../identifiers/scalars.ts";
import { PrimaryNetworkChainInfo } from "../networks/types.ts";

@ObjectType({ description: "A vertex of the X-Chain from before it became a chain of blocks.", simpleResolvers: true })
@Directive('@key(fields: "network vertexHash")')
export class XChainVertex {
  @Field(() => NetworkName, { description: "Its network." })
  network!: NetworkName;

  @Field(() => Id, { description: "Id." })
  vertexHash!: string;

  @Field(() => [Id], { description: "Ids of the vertices that it follows; the first follows none." })
  parentHashes!: string[];

  @Field(() => Integer, { description: "1 more than the height of the highest of its parents." })
  vertexHeight!: string;

  @Field(() => Integer, { description: "Its place among all vertices, as they were accepted." })
  vertexIndex!: string;

  @Field(() => Timestamp, {
    description: "When it was accepted, as the index of the node says that was indexed: vertices bear no time.",
  })
  vertexTimestamp!: string;

  @Field(() => Int, { description: "Number of its transactions." })
  txCount!: number;

  @Field(() => [Id], { description: "Ids of its transactions, in its order." })
  txHashes!: string[];

  @Field(() => Int, { description: "Size in bytes." })
  vertexSizeBytes!: number;
}

@ObjectType({ description: "A page of vertices.", simpleResolvers: true })
export class XChainVertexPage {
  @Field(() => String, { nullable: true, description: "Token of the next page; null on the last." })
  nextPageToken!: string | null;

  @Field(() => [XChainVertex], { description: "Vertices, the last accepted first." })
  vertices!: XChainVertex[];

  @Field(() => PrimaryNetworkChainInfo, { description: "The chain." })
  chainInfo!: PrimaryNetworkChainInfo;
}

@ArgsType()
export class XChainVerticesArgs extends PageArgs({ max: 100, initial: 10 }) {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "`x-chain` or the id of the X-Chain." })
  blockchainId!: string;
}

@ArgsType()
export class XChainVertexArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Id, as CB58 or hex." })
  vertexHash!: string;
}
