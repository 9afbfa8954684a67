import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import { Id } from "../identifiers/scalars.ts";

export const PrimaryNetworkAssetType = { secp256k1: "secp256k1", nft: "nft" } as const;
export type PrimaryNetworkAssetType = keyof typeof PrimaryNetworkAssetType;

registerEnumType(PrimaryNetworkAssetType, {
  name: "PrimaryNetworkAssetType",
  description: "Fungible or non-fungible.",
  valuesConfig: {
    secp256k1: { description: "Fungible: outputs carry an amount." },
    nft: { description: "Non-fungible: each output is one token." },
  },
});

const PrimaryNetworkAssetCap = { fixed: "fixed", variable: "variable" } as const;
type PrimaryNetworkAssetCap = keyof typeof PrimaryNetworkAssetCap;

registerEnumType(PrimaryNetworkAssetCap, {
  name: "PrimaryNetworkAssetCap",
  description: "Whether more of an asset can be minted.",
  valuesConfig: {
    fixed: { description: "The whole supply was created with the asset." },
    variable: { description: "More can be minted." },
  },
});

/** Fields that every type about an asset shares. */
@ObjectType()
export abstract class NamedAsset {
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
      "`nft` for an NFT and for the right to mint NFTs, `secp256k1` for every other output. Always `secp256k1` in a total, because totals count only outputs with an amount.",
  })
  type!: PrimaryNetworkAssetType;

  @Field(() => Quantity, { description: "Amount in the asset's smallest unit. 0 for an output without an amount." })
  amount!: string;
}

/** An amount of outputs that carry one: balances and rewards. */
@ObjectType()
export abstract class FungibleAmount extends NamedAsset {
  @Field(() => PrimaryNetworkAssetType, {
    description: "Always `secp256k1`, because only fungible outputs have an amount.",
  })
  type!: PrimaryNetworkAssetType;

  @Field(() => Quantity, { description: "Amount in the asset's smallest unit." })
  amount!: string;
}

@ObjectType({ description: "An asset of the X-Chain." })
export class PrimaryNetworkAsset extends NamedAsset {
  @Field(() => PrimaryNetworkAssetType, {
    description: "`nft` if the asset was created with non-fungible outputs, even if it also has fungible ones.",
  })
  type!: PrimaryNetworkAssetType;

  @Field(() => Timestamp, { description: "Time of creation." })
  createdAtTimestamp!: string;

  @Field(() => PrimaryNetworkAssetCap, { description: "Whether more of the asset can be minted." })
  cap!: PrimaryNetworkAssetCap;
}
