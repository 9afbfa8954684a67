import { Args, ArgsType, Ctx, Directive, Field, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { bytea } from "../../shared/rows/text-rows.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { OnChainArgs } from "../addresses/types.ts";
import type { PrimaryContext } from "../context.ts";
import { parseIdParameter } from "../identifiers/ids.ts";
import type { ServedNetwork } from "../networks/served-network.ts";
import { PrimaryNetworkUtxoConnection } from "../utxos/types.ts";
import { PrimaryNetworkAsset } from "./types.ts";

@ArgsType()
class PrimaryNetworkAssetArgs {
  @Field(() => NetworkName, { description: "Network." })
  network!: NetworkName;

  @Field(() => String, { description: "Asset ID as CB58 or hex." })
  assetId!: string;
}

@Resolver(() => PrimaryNetworkAsset)
export class PrimaryNetworkAssetResolver {
  @Query(() => PrimaryNetworkAsset, {
    nullable: true,
    description: "One asset of the X-Chain by ID. Null if its creation is not indexed.",
  })
  async primaryNetworkAsset(
    @Args(() => PrimaryNetworkAssetArgs) { network, assetId }: PrimaryNetworkAssetArgs,
    @Ctx() context: PrimaryContext,
  ): Promise<PrimaryNetworkAsset | null> {
    return assetById(await context.networks.require(network), assetId, context);
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => PrimaryNetworkUtxoConnection, {
    nullable: true,
    description:
      "Unspent outputs of the asset that the chain can consume, newest first, with their owners: what the holders of the asset have.",
  })
  async unspentUtxos(
    @Root() { network: name, assetId }: PrimaryNetworkAsset,
    @Args(() => OnChainArgs) args: OnChainArgs,
    @Ctx() { networks, load }: PrimaryContext,
  ): Promise<PrimaryNetworkUtxoConnection> {
    const { network, chain } = await networks.requireChain(name, args.blockchainId);
    return load.utxosOfAsset([network.networkId, chain, bytea(assetId)], args);
  }
}

/** Resolves a federated reference to an asset. */
export async function resolveAssetReference(
  key: { readonly network: NetworkName; readonly assetId: unknown },
  context: PrimaryContext,
): Promise<PrimaryNetworkAsset | null> {
  const served = await context.networks.get(key.network);
  return served && assetById(served, String(key.assetId), context);
}

/** Null only if it is certain that no transaction created the asset; throws `UNAVAILABLE` while the X-Chain is not indexed. */
async function assetById(
  served: ServedNetwork,
  assetId: string,
  { networks, load }: PrimaryContext,
): Promise<PrimaryNetworkAsset | null> {
  const found = await load.asset({ network: served.network, assetId: parseIdParameter("assetId", assetId) });
  if (!found) await networks.requireIndexed(served, "X");
  return found;
}
