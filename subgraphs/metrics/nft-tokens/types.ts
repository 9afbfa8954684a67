import { createUnionType, Directive, Field, ObjectType } from "type-graphql";
import { Address, Quantity } from "../../../core/graph/scalars.ts";

// The evm subgraph owns the entities of this file.

@ObjectType({ description: "An ERC-721 token that was transferred at least once." })
@Directive('@key(fields: "chainId address tokenId", resolvable: false)')
export class Erc721Token {
  ercType!: "ERC-721";

  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;

  @Field(() => Quantity, { description: "Token id within the contract." })
  tokenId!: string;
}

@ObjectType({ description: "An ERC-1155 token that was transferred at least once." })
@Directive('@key(fields: "chainId address tokenId")')
export class Erc1155Token {
  ercType!: "ERC-1155";

  @Field(() => String, { description: "EVM chain id." })
  chainId!: string;

  @Field(() => Address, { description: "Address of the contract." })
  address!: string;

  @Field(() => Quantity, { description: "Token id within the contract." })
  tokenId!: string;
}

export const NftToken = createUnionType({
  name: "NftToken",
  description: "A token of the standard ERC-721 or ERC-1155.",
  types: () => [Erc721Token, Erc1155Token] as const,
  resolveType: ({ ercType }) => (ercType === "ERC-721" ? "Erc721Token" : "Erc1155Token"),
});
