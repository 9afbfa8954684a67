import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { PrimaryContext } from "../context.ts";
import { idText } from "../identifiers/ids.ts";
import type { ServedNetwork } from "./store.ts";
import { PrimaryChainIndexing, PrimaryNetwork, PrimaryNetworkArgs } from "./types.ts";

@Resolver(() => PrimaryNetwork)
export class PrimaryNetworkResolver {
  @Query(() => [PrimaryNetwork], { description: "The primary networks that are served." })
  async primaryNetworks(
    @Args(() => PrimaryNetworkArgs) { network }: PrimaryNetworkArgs,
    @Ctx() { networks }: PrimaryContext,
  ): Promise<PrimaryNetwork[]> {
    if (!network) return (await networks.all()).map(shown);
    const found = await networks.get(network);
    return found ? [shown(found)] : [];
  }

  @FieldResolver(() => [PrimaryChainIndexing], {
    description: "How far the indexer is with its chains: P, X, C, without those that have nothing indexed yet.",
  })
  async chains(
    @Root() { networkId }: PrimaryNetwork,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryChainIndexing[]> {
    return (await load.networkIndexing({ networkId: String(networkId) }))?.chains ?? [];
  }
}

function shown({ network, networkId, hrp, genesisTimestamp, avaxAssetId }: ServedNetwork): PrimaryNetwork {
  return {
    network,
    networkId: Number(networkId),
    addressPrefix: hrp,
    genesisTimestamp,
    avaxAssetId: idText(avaxAssetId),
  };
}
