import { Directive, Field, Int, ObjectType } from "type-graphql";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { graphEnum } from "../../shared/schema/graph-enum.ts";
import { NetworkName } from "../../shared/schema/network-name.ts";
import { Id } from "../identifiers/scalars.ts";

export const PrimaryNetworkAssetType = graphEnum({
  name: "PrimaryNetworkAssetType",
  description: "Fungible or non-fungible.",
  values: {
    secp256k1: "Fungible: outputs carry an amount.",
    nft: "Non-fungible: each output is one token.",
  },
});
export type PrimaryNetworkAssetType = (typeof PrimaryNetworkAssetType)[string];

const PrimaryNetworkAssetCap = graphEnum({
  name: "PrimaryNetworkAssetCap",
  description: "Whether more of an asset can be minted.",
  values: { fixed: "The whole supply was created with the asset.", variable: "More can be minted." },
});
type PrimaryNetworkAssetCap = (typeof PrimaryNetworkAssetCap)[string];

/** Fields that every type about an asset shares. */
@ObjectType()
export abstract class NamedAsset {
  network!: NetworkName;

  @Field(() => Id, { description: "Asset ID: the ID of the CreateAssetTx." })
  assetId!: string;

  @Field(() => String, { description: "Name. Empty while the asset's creation is not indexed." })
  name!: string;

  @Field(() => String, { description: "Symbol. Empty while the asset's creation is not indexed." })
  symbol!: string;

  @Field(() => Int, { description: "Number of decimals. 0 while the asset's creation is not indexed." })
  denomination!: number;
}

@ObjectType({ description: "An amount of an asset." })
export class AssetAmount extends NamedAsset {
  @Field(() => PrimaryNetworkAssetType, {
    description:
      "`NFT` for an NFT and for the right to mint NFTs, `SECP256K1` for every other output. Always `SECP256K1` in a total, because totals count only outputs with an amount.",
  })
  type!: PrimaryNetworkAssetType;

  @Field(() => Quantity, { description: "Amount in the asset's smallest unit. 0 for an output without an amount." })
  amount!: string;
}

/** An amount of outputs that carry one: balances and rewards. */
@ObjectType()
export abstract class FungibleAmount extends NamedAsset {
  @Field(() => PrimaryNetworkAssetType, {
    description: "Always `SECP256K1`, because only fungible outputs have an amount.",
  })
  type!: PrimaryNetworkAssetType;

  @Field(() => Quantity, { description: "Amount in the asset's smallest unit." })
  amount!: string;
}

@ObjectType({ description: "An asset of the X-Chain." })
@Directive('@key(fields: "network assetId")')
export class PrimaryNetworkAsset extends NamedAsset {
  @Field(() => NetworkName, { description: "Network." })
  override network!: NetworkName;

  @Field(() => PrimaryNetworkAssetType, {
    description: "`NFT` if the asset was created with non-fungible outputs, even if it also has fungible ones.",
  })
  type!: PrimaryNetworkAssetType;

  @Field(() => Timestamp, { description: "Time of creation." })
  createdAtTimestamp!: string;

  @Field(() => PrimaryNetworkAssetCap, { description: "Whether more of the asset can be minted." })
  cap!: PrimaryNetworkAssetCap;
}
