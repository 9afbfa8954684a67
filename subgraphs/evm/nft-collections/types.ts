import { ArgsType, Directive, Field, ObjectType } from "type-graphql";
import { Connection } from "../../../core/graph/connection.ts";
import { Address, Quantity } from "../../../core/graph/scalars.ts";
import type { NftContract } from "../../../prisma/client/client.ts";
import type { TextRow } from "../../shared/rows/text-rows.ts";
import { MetadataStatus } from "../erc20-tokens/types.ts";

export type NftCollectionRow = TextRow<NftContract>;

@ObjectType({ description: "A contract that emitted ERC-721 or ERC-1155 transfers." })
@Directive('@key(fields: "chainId address")')
export class NftCollection implements NftCollectionRow {
  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;

  @Field(() => String, { description: "Name; empty if the contract has none, or if its metadata is not indexed yet." })
  name!: string;

  @Field(() => String, {
    description: "Symbol; empty if the contract has none, or if its metadata is not indexed yet.",
  })
  symbol!: string;

  @Field(() => MetadataStatus, { description: "Whether name and symbol were read." })
  metadataStatus!: string;

  @Field(() => Quantity, { description: "Block of the contract's first transfer." })
  firstBlockNumber!: string;
}

@ObjectType({ description: "A page of NFT collections." })
export class NftCollectionConnection extends Connection(NftCollection, "Collections, in the order of the list.") {}

@ObjectType({ description: "A token of an NFT collection." })
export class NftCollectionToken {
  chainId!: string;

  address!: string;

  @Field(() => Quantity, { description: "Token id within the contract." })
  tokenId!: string;

  @Field(() => String, { description: "Token standard: `ERC-721` or `ERC-1155`." })
  ercType!: string;
}

@ObjectType({ description: "A page of tokens of an NFT collection." })
export class NftCollectionTokenConnection extends Connection(NftCollectionToken, "Tokens, by ascending token id.") {}

@ArgsType()
export class NftCollectionArgs {
  @Field(() => String, { description: "EVM chain id or blockchain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;
}
