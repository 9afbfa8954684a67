import { ArgsType, Directive, Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Address, Quantity, Timestamp } from "../../../core/scalars.ts";
import type { NftContract, NftMetadata } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows.ts";

export const NftTokenMetadataStatus = {
  UNKNOWN: "UNKNOWN",
  MISSING_TOKEN: "MISSING_TOKEN",
  INVALID_TOKEN_URI: "INVALID_TOKEN_URI",
  INVALID_TOKEN_URI_SCHEME: "INVALID_TOKEN_URI_SCHEME",
  UNREACHABLE_TOKEN_URI: "UNREACHABLE_TOKEN_URI",
  THROTTLED_TOKEN_URI: "THROTTLED_TOKEN_URI",
  METADATA_CONTENT_TOO_LARGE: "METADATA_CONTENT_TOO_LARGE",
  INVALID_METADATA: "INVALID_METADATA",
  INVALID_METADATA_JSON: "INVALID_METADATA_JSON",
  INDEXED: "INDEXED",
  UNINDEXED: "UNINDEXED",
} as const;
export type NftTokenMetadataStatus = keyof typeof NftTokenMetadataStatus;

registerEnumType(NftTokenMetadataStatus, {
  name: "NftTokenMetadataStatus",
  description: "What came of looking for a token's metadata.",
  valuesConfig: {
    UNKNOWN: { description: "The contract gives no URI, and whether the token exists cannot be told." },
    MISSING_TOKEN: { description: "The contract says that there is no such token." },
    INVALID_TOKEN_URI: { description: "What the contract gives is empty or no URI." },
    INVALID_TOKEN_URI_SCHEME: { description: "The URI is neither `data:`, `https:` nor `ipfs:`." },
    UNREACHABLE_TOKEN_URI: {
      description: "Nothing was to be had from the URI. It is tried again where that may pass.",
    },
    THROTTLED_TOKEN_URI: { description: "The server wants fewer requests. It is tried again." },
    METADATA_CONTENT_TOO_LARGE: { description: "The content is larger than the limit." },
    INVALID_METADATA: { description: "The content is JSON, but no object." },
    INVALID_METADATA_JSON: { description: "The content is no JSON." },
    INDEXED: { description: "The metadata was read." },
    UNINDEXED: { description: "It has not been tried yet, or is not to be: `Chain.capabilities` says why." },
  },
});

type MetadataRow = TextRow<
  Omit<NftMetadata, "chainId" | "address" | "tokenId" | "ercType" | "tokenUri" | "attempts" | "nextAttemptAt">
>;

/** What the metadata of both standards has. */
@ObjectType({ simpleResolvers: true })
abstract class NftTokenMetadata implements Omit<MetadataRow, "attributes" | "decimals" | "properties"> {
  @Field(() => NftTokenMetadataStatus, { description: "What came of looking for it." })
  indexStatus!: NftTokenMetadataStatus;

  @Field(() => Timestamp, { nullable: true, description: "When it was last looked for; null before the first time." })
  metadataLastUpdatedTimestamp!: string | null;

  @Field(() => String, { nullable: true, description: "Name of the token." })
  name!: string | null;

  @Field(() => String, { nullable: true, description: "Symbol." })
  symbol!: string | null;

  @Field(() => String, { nullable: true, description: "Image, as the metadata has it: any text." })
  imageUri!: string | null;

  @Field(() => String, { nullable: true, description: "Description." })
  description!: string | null;

  @Field(() => String, { nullable: true, description: "Animation or other media, as the metadata has it: any text." })
  animationUri!: string | null;

  @Field(() => String, { nullable: true, description: "Page about the token, as the metadata has it: any text." })
  externalUrl!: string | null;

  @Field(() => String, { nullable: true, description: "Background colour, as the metadata has it." })
  background!: string | null;
}

@ObjectType({ description: "Metadata of an ERC-721 token. All of it is a stranger's text.", simpleResolvers: true })
export class Erc721TokenMetadata extends NftTokenMetadata {
  @Field(() => String, { nullable: true, description: "Attributes, as JSON text." })
  attributes!: string | null;
}

@ObjectType({ description: "Metadata of an ERC-1155 token. All of it is a stranger's text.", simpleResolvers: true })
export class Erc1155TokenMetadata extends NftTokenMetadata {
  @Field(() => Int, { nullable: true, description: "Decimals, from 0 to 255." })
  decimals!: number | null;

  @Field(() => String, { nullable: true, description: "Properties, as JSON text." })
  properties!: string | null;
}

@ObjectType({ description: "An ERC-721 token that a transfer named.", simpleResolvers: true })
@Directive('@key(fields: "chainId address tokenId")')
export class Erc721Token implements Pick<TextRow<NftContract>, "chainId" | "address" | "name" | "symbol"> {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "The contract." })
  address!: string;

  @Field(() => String, { description: "Name of the contract; empty when it gives none." })
  name!: string;

  @Field(() => String, { description: "Symbol of the contract; empty when it gives none." })
  symbol!: string;

  @Field(() => String, { description: "Standard: `ERC-721`." })
  ercType!: string;

  @Field(() => Quantity, { description: "Id of the token within its contract." })
  tokenId!: string;

  @Field(() => String, { description: "What the contract gave as its URI; empty when none is known." })
  tokenUri!: string;

  @Field(() => Erc721TokenMetadata, { description: "What was found there." })
  metadata!: Erc721TokenMetadata;

  @Field(() => Address, {
    nullable: true,
    description: "Who got it last; null when that is the zero address: it was burned.",
  })
  ownerAddress!: string | null;
}

@ObjectType({ description: "An ERC-1155 token that a transfer named.", simpleResolvers: true })
@Directive('@key(fields: "chainId address tokenId")')
export class Erc1155Token implements Pick<TextRow<NftContract>, "chainId" | "address"> {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "The contract." })
  address!: string;

  @Field(() => String, { description: "Standard: `ERC-1155`." })
  ercType!: string;

  @Field(() => Quantity, { description: "Id of the token within its contract." })
  tokenId!: string;

  @Field(() => String, { description: "What the contract gave as its URI; empty when none is known." })
  tokenUri!: string;

  @Field(() => Erc1155TokenMetadata, { description: "What was found there." })
  metadata!: Erc1155TokenMetadata;
}

@ArgsType()
export class NftTokenArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "The contract." })
  address!: string;

  @Field(() => Quantity, { description: "Id of the token within its contract." })
  tokenId!: string;
}
