import { Field, Int, ObjectType } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";
import type { Erc20Token } from "../erc20-tokens/types.ts";

@ObjectType({ description: "An address. If it is an ERC-20 token, also the token's metadata." })
export class RichAddress {
  chainId!: string;

  @Field(() => Address, { description: "The address." })
  address!: string;

  @Field(() => String, {
    nullable: true,
    description:
      "Name of the ERC-20 token; null if the token has none, if its metadata is not indexed yet, or if there is no token at the address.",
  })
  name?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "Symbol of the ERC-20 token; null if the token has none, if its metadata is not indexed yet, or if there is no token at the address.",
  })
  symbol?: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "Decimals of the ERC-20 token; 0 if the token has none; null if its metadata is not indexed yet, or if there is no token at the address.",
  })
  decimals?: number | null;

  @Field(() => String, { nullable: true, description: "URI of the logo, if the configuration has one for the token." })
  logoUri?: string | null;
}

/** `token` is the ERC-20 token at the address, if there is one. Metadata that is not indexed yet is null. */
export function richAddress(chainId: string, address: string, token: Erc20Token | null | undefined): RichAddress {
  if (!token) return { chainId, address, name: null, symbol: null, decimals: null, logoUri: null };
  const { name, symbol, decimals, logoUri, metadataStatus } = token;
  const isIndexed = metadataStatus === "INDEXED";
  return {
    chainId,
    address,
    name: name || null,
    symbol: symbol || null,
    decimals: isIndexed ? decimals : null,
    logoUri,
  };
}
