import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { Failure, quoted } from "../../../core/errors/errors.ts";
import { PRIMARY_CHAIN_ALIASES } from "../../../core/networks/primary-chains.ts";
import type { PrimaryContext } from "../context.ts";
import { idText } from "../identifiers/ids.ts";
import { PrimaryChainIndexing, PrimaryChainsArgs, PrimaryNetwork, PrimaryNetworkArgs } from "./types.ts";

@Resolver(() => PrimaryNetwork)
export class PrimaryNetworkResolver {
  @Query(() => [PrimaryNetwork], {
    description:
      "Primary networks that this installation is configured to serve. Requests for another network fail with `NOT_FOUND`.",
  })
  async primaryNetworks(
    @Args(() => PrimaryNetworkArgs) args: PrimaryNetworkArgs,
    @Ctx() { networks }: PrimaryContext,
  ): Promise<PrimaryNetwork[]> {
    const wanted = args.network === "testnet" ? "fuji" : args.network;
    const indexed = await networks.all();
    return networks.configured
      .filter(({ network }) => !wanted || network === wanted)
      .map(({ network, networkId }) => {
        const served = indexed.find((one) => one.network === network);
        return {
          network,
          networkId,
          addressPrefix: served?.hrp ?? null,
          genesisTimestamp: served?.genesisTimestamp ?? null,
          avaxAssetId: served ? idText(served.avaxAssetId) : null,
        };
      });
  }

  @FieldResolver(() => [PrimaryChainIndexing], {
    description:
      "Indexing progress of the P-, X- and C-Chain, in this order. A chain is listed even if nothing of it is indexed yet.",
  })
  async chains(
    @Root() { networkId }: PrimaryNetwork,
    @Args(() => PrimaryChainsArgs) args: PrimaryChainsArgs,
    @Ctx() { load }: PrimaryContext,
  ): Promise<PrimaryChainIndexing[]> {
    const wanted = parseChainName(args.chainName);
    const chains = (await load.networkIndexing({ networkId }))?.chains ?? [];
    return chains.filter(({ chainName }) => wanted === null || chainName === wanted);
  }
}

/** Null without a name. Throws `INVALID_PARAMETER`. */
function parseChainName(name: string | null | undefined): string | null {
  if (!name) return null;
  const names: readonly string[] = Object.values(PRIMARY_CHAIN_ALIASES);
  if (names.includes(name)) return name;
  throw new Failure("INVALID_PARAMETER", `chainName must be one of ${names.join(", ")}, got ${quoted(name)}`);
}
