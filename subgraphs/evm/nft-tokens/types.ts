import { ArgsType, Directive, Field, Int, ObjectType, registerEnumType } from "type-graphql";
import { Address, Quantity, Timestamp } from "../../../core/graph/scalars.ts";
import type { NftContract, NftMetadata } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { Json } from "../../shared/schema/output-scalar.ts";
import { RestOnly } from "../../shared/schema/rest-only.ts";

const NftTokenMetadataStatus = {
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
type NftTokenMetadataStatus = keyof typeof NftTokenMetadataStatus;

registerEnumType(NftTokenMetadataStatus, {
  name: "NftTokenMetadataStatus",
  description: "Result of reading a token's metadata.",
  valuesConfig: {
    UNKNOWN: { description: "ERC-1155 only: the contract returned no URI. Whether the token exists is unknown." },
    MISSING_TOKEN: { description: "ERC-721 only: the contract returned neither a URI nor an owner." },
    INVALID_TOKEN_URI: { description: "The URI is empty or invalid, or an ERC-721 token has an owner but no URI." },
    INVALID_TOKEN_URI_SCHEME: { description: "The scheme of the URI is not `data:`, `https:` or `ipfs:`." },
    UNREACHABLE_TOKEN_URI: {
      description: "The URI could not be fetched. At most 8 attempts are made.",
    },
    THROTTLED_TOKEN_URI: { description: "The server limits the request rate. At most 16 attempts are made." },
    METADATA_CONTENT_TOO_LARGE: { description: "The metadata exceeds the size limit." },
    INVALID_METADATA: { description: "The metadata is JSON, but not an object." },
    INVALID_METADATA_JSON: { description: "The metadata is not JSON." },
    INDEXED: { description: "The metadata is indexed." },
    UNINDEXED: {
      description:
        "The metadata is not read yet, for example because the chain's node cannot call the contract, or reading metadata is switched off; `Chain.capabilities` has the reason.",
    },
  },
});

type MetadataRow = TextRow<
  Omit<
    NftMetadata,
    "chainId" | "address" | "tokenId" | "ercType" | "tokenUri" | "attempts" | "nodeFailures" | "nextAttemptAt"
  >
>;

/** Metadata fields of both standards. */
@ObjectType()
abstract class NftTokenMetadata implements Omit<MetadataRow, "attributes" | "decimals" | "properties"> {
  @Field(() => NftTokenMetadataStatus, { description: "Result of reading the metadata." })
  indexStatus!: NftTokenMetadataStatus;

  @Field(() => Timestamp, {
    nullable: true,
    description: "When the last attempt to read the metadata was made, successful or not; null if there was none.",
  })
  metadataLastUpdatedTimestamp!: string | null;

  @Field(() => String, { nullable: true, description: "Name of the token." })
  name!: string | null;

  @Field(() => String, { nullable: true, description: "Symbol of the token." })
  symbol!: string | null;

  @Field(() => String, { nullable: true, description: "URI of an image; not validated." })
  imageUri!: string | null;

  @Field(() => String, { nullable: true, description: "Description of the token." })
  description!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "URI of an animation or other media; not validated.",
  })
  animationUri!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "URL of a page about the token; not validated.",
  })
  externalUrl!: string | null;

  @Field(() => String, { nullable: true, description: "Background colour; not validated." })
  background!: string | null;
}

@ObjectType({
  description:
    "Metadata of an ERC-721 token. The text comes from third parties and is not validated. Texts that the metadata does not have, or that are not read yet, are null.",
})
export class Erc721TokenMetadata extends NftTokenMetadata {
  @Field(() => Json, {
    nullable: true,
    description: "Attributes: in most metadata a list of objects. Null if there are none.",
  })
  attributes!: unknown;
}

@ObjectType({
  description:
    "Metadata of an ERC-1155 token. The text comes from third parties and is not validated. In all texts, `{id}` is replaced by the token id as 64 hex digits. Texts that the metadata does not have, or that are not read yet, are null.",
})
export class Erc1155TokenMetadata extends NftTokenMetadata {
  @Field(() => Int, { nullable: true, description: "Decimals, from 0 to 255." })
  decimals!: number | null;

  @Field(() => Json, { nullable: true, description: "Properties: in most metadata an object. Null if there are none." })
  properties!: unknown;
}

@ObjectType({ description: "An ERC-721 token that was transferred at least once." })
@Directive('@key(fields: "chainId address tokenId")')
export class Erc721Token implements Pick<TextRow<NftContract>, "chainId" | "address" | "name" | "symbol"> {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;

  @Field(() => String, {
    description: "Name of the contract; empty if it has none, or if its metadata is not indexed yet.",
  })
  name!: string;

  @Field(() => String, {
    description: "Symbol of the contract; empty if it has none, or if its metadata is not indexed yet.",
  })
  symbol!: string;

  @RestOnly()
  @Field(() => String, { description: "Token standard: `ERC-721`." })
  ercType!: string;

  @Field(() => Quantity, { description: "Token id within the contract." })
  tokenId!: string;

  @Field(() => String, { description: "URI that the contract returned; empty if none is known." })
  tokenUri!: string;

  @Field(() => Erc721TokenMetadata, { description: "Metadata of the token." })
  metadata!: Erc721TokenMetadata;

  /** Recipient of the last transfer; null if the token was burned. The field of the graph also has past owners. */
  ownerAddress!: string | null;
}

@ObjectType({ description: "An ERC-1155 token that was transferred at least once." })
@Directive('@key(fields: "chainId address tokenId")')
export class Erc1155Token implements Pick<TextRow<NftContract>, "chainId" | "address"> {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;

  @RestOnly()
  @Field(() => String, { description: "Token standard: `ERC-1155`." })
  ercType!: string;

  @Field(() => Quantity, { description: "Token id within the contract." })
  tokenId!: string;

  @Field(() => String, { description: "URI that the contract returned; empty if none is known." })
  tokenUri!: string;

  @Field(() => Erc1155TokenMetadata, { description: "Metadata of the token." })
  metadata!: Erc1155TokenMetadata;
}

@ArgsType()
export class NftTokenArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;

  @Field(() => Quantity, { description: "Token id within the contract." })
  tokenId!: string;
}
