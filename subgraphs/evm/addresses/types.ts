import { Field, Int, ObjectType } from "type-graphql";
import { Address } from "../../../core/scalars.ts";
import type { Erc20Token } from "../erc20-tokens/types.ts";

@ObjectType({ description: "An address, with what is known of it.", simpleResolvers: true })
export class RichAddress {
  @Field(() => Address, { description: "The address." })
  address!: string;

  @Field(() => String, { nullable: true, description: "Name, when the address is an ERC-20 token that has one." })
  name?: string | null;

  @Field(() => String, { nullable: true, description: "Symbol, when the address is an ERC-20 token that has one." })
  symbol?: string | null;

  @Field(() => Int, { nullable: true, description: "Decimals, when the address is an ERC-20 token." })
  decimals?: number | null;

  @Field(() => String, { nullable: true, description: "Logo, when one is configured for the token." })
  logoUri?: string | null;
}

/** `token` is the token at the address, where there is one. What it has not been asked yet is left out. */
export function richAddress(address: string, token: Erc20Token | null | undefined): RichAddress {
  if (!token) return { address, name: null, symbol: null, decimals: null, logoUri: null };
  const { name, symbol, decimals, logoUri, metadataStatus } = token;
  const known = metadataStatus === "INDEXED";
  return { address, name: name || null, symbol: symbol || null, decimals: known ? decimals : null, logoUri };
}
