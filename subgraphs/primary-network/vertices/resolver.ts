import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Failure, quoted } from "../../../core/errors.ts";
import type { NetworkName } from "../../shared/network-name.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { ALIASES, chainIdText, findChain } from "../networks/chains.ts";
import { chainInfo } from "../networks/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { XChainVertex, XChainVertexArgs, XChainVertexPage, XChainVerticesArgs } from "./types.ts";

@Resolver(() => XChainVertex)
export class XChainVertexResolver {
  @Query(() => XChainVertexPage, {
    description: "Vertices of the X-Chain, the last accepted first. An X-Chain that began with blocks has none.",
  })
  async xChainVertices(
    @Args(() => XChainVerticesArgs) args: XChainVerticesArgs,
    @Ctx() { networks, vertices }: PrimaryContext,
  ): Promise<XChainVertexPage> {
    const network = await networks.find(args.network);
    if (findChain(network, args.blockchainId) !== "X")
      throw new Failure(
        "INVALID_PARAMETER",
        `blockchainId must be ${ALIASES.X} or ${chainIdText(network, "X")}, since no other chain has vertices, got ${quoted(args.blockchainId)}`,
      );
    const { items, nextPageToken } = await vertices.page(network, args);
    return { nextPageToken, vertices: items, chainInfo: chainInfo(network, "X") };
  }

  @Query(() => XChainVertex, { nullable: true, description: "One vertex; null when it is not indexed." })
  async xChainVertex(
    @Args(() => XChainVertexArgs) args: XChainVertexArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<XChainVertex | null> {
    const { network } = await networks.find(args.network);
    return load.vertex({ network, vertexHash: parseIdParameter("vertexHash", args.vertexHash) });
  }

  @FieldResolver(() => [PrimaryNetworkTransaction], { description: "Its transactions, in its order." })
  async transactions(
    @Root() { network, txHashes }: XChainVertex,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction[]> {
    const found = await Promise.all(txHashes.map((txHash) => load.transaction({ network, txHash })));
    return found.filter((one) => one !== null);
  }
}

/** The vertex that another subgraph names. */
export async function resolveVertexReference(
  key: { readonly network: NetworkName; readonly vertexHash: unknown },
  { networks, load }: PrimaryContext,
): Promise<XChainVertex | null> {
  const found = await networks.get(key.network);
  return (
    found && load.vertex({ network: found.network, vertexHash: parseIdParameter("vertexHash", String(key.vertexHash)) })
  );
}
