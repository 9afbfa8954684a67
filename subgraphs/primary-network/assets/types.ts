import { Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Quantity, Timestamp } from "../../../core/scalars.ts";
import { Id } from "../identifiers/scalars.ts";

export const PrimaryNetworkAssetType = { secp256k1: "secp256k1", nft: "nft" } as const;
export type PrimaryNetworkAssetType = keyof typeof PrimaryNetworkAssetType;

registerEnumType(PrimaryNetworkAssetType, {
  name: "PrimaryNetworkAssetType",
  description: "Kind of an asset.",
  valuesConfig: {
    secp256k1: { description: "Amounts of it are alike." },
    nft: { description: "Each one is something by itself." },
  },
});

export const PrimaryNetworkAssetCap = { fixed: "fixed", variable: "variable" } as const;
export type PrimaryNetworkAssetCap = keyof typeof PrimaryNetworkAssetCap;

registerEnumType(PrimaryNetworkAssetCap, {
  name: "PrimaryNetworkAssetCap",
  description: "Whether there can be more of an asset.",
  valuesConfig: {
    fixed: { description: "All of it was made at its creation." },
    variable: { description: "More can be made." },
  },
});

/** Fields in which all that is said of an asset agrees. */
@ObjectType({ simpleResolvers: true })
export abstract class NamedAsset {
  @Field(() => Id, { description: "Id: of the CreateAssetTx." })
  assetId!: string;

  @Field(() => String, { description: "Name; empty while its creation is not indexed." })
  name!: string;

  @Field(() => String, { description: "Symbol; empty while its creation is not indexed." })
  symbol!: string;

  @Field(() => Int, { description: "Decimals." })
  denomination!: number;

  @Field(() => PrimaryNetworkAssetType, { description: "Kind." })
  type!: PrimaryNetworkAssetType;
}

@ObjectType({ description: "An amount of an asset.", simpleResolvers: true })
export class AssetAmount extends NamedAsset {
  @Field(() => Quantity, { description: "Amount, in the asset's smallest unit; 0 of an output that has none." })
  amount!: string;
}

@ObjectType({ description: "An asset of the X-Chain.", simpleResolvers: true })
export class PrimaryNetworkAsset extends NamedAsset {
  @Field(() => Timestamp, { description: "When it was created." })
  createdAtTimestamp!: string;

  @Field(() => PrimaryNetworkAssetCap, { description: "Whether there can be more of it." })
  cap!: PrimaryNetworkAssetCap;
}
