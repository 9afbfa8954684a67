import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import type { NetworkName } from "../../shared/schema/network-name.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import { chainIdText, findChain } from "../networks/chains.ts";
import { chainInfo } from "../networks/types.ts";
import { PrimaryNetworkTransaction } from "../transactions/types.ts";
import { XChainVertex, XChainVertexArgs, XChainVertexConnection, XChainVerticesArgs } from "./types.ts";

@Resolver(() => XChainVertex)
export class XChainVertexResolver {
  @Query(() => XChainVertexConnection, {
    description:
      "Vertices of the X-Chain, last accepted first. Empty if the X-Chain has used blocks since its genesis.",
  })
  async xChainVertices(
    @Args(() => XChainVerticesArgs) args: XChainVerticesArgs,
    @Ctx() { networks, vertices, work }: PrimaryContext,
  ): Promise<XChainVertexConnection> {
    const network = await networks.require(args.network, "X");
    if (findChain(network, args.blockchainId) !== "X")
      throw new Failure(
        "INVALID_PARAMETER",
        `blockchainId must be ${PRIMARY_CHAIN_ALIASES.X} or ${chainIdText(network, "X")}, the only chain with vertices, got ${quoted(args.blockchainId)}`,
      );
    const page = await vertices.page(network, args, work);
    return page.with({ chainInfo: chainInfo(network, "X") });
  }

  @Query(() => XChainVertex, { nullable: true, description: "One vertex by ID. Null if it is not indexed." })
  async xChainVertex(
    @Args(() => XChainVertexArgs) args: XChainVertexArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<XChainVertex | null> {
    const { network } = await networks.require(args.network, "X");
    return load.vertex({ network, vertexHash: parseIdParameter("vertexHash", args.vertexHash) });
  }

  @FieldResolver(() => [PrimaryNetworkTransaction], { description: "Transactions in vertex order." })
  async transactions(
    @Root() { network, txHashes }: XChainVertex,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryNetworkTransaction[]> {
    const found = await Promise.all(txHashes.map((txHash) => load.transaction({ network, txHash })));
    return found.filter((one) => one !== null);
  }
}

/** Resolves a federated reference to a vertex. */
export async function resolveVertexReference(
  key: { readonly network: NetworkName; readonly vertexHash: unknown },
  { networks, load }: PrimaryContext,
): Promise<XChainVertex | null> {
  const found = await networks.get(key.network, "X");
  return (
    found && load.vertex({ network: found.network, vertexHash: parseIdParameter("vertexHash", String(key.vertexHash)) })
  );
}
