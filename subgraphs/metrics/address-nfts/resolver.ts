import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { readHoldings } from "../addresses/holding-pages.ts";
import { EvmAddress } from "../addresses/types.ts";
import { UNINDEXED } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { type Erc721Token, type Erc1155Token, NftToken } from "../nft-tokens/types.ts";
import { NftBalance, NftBalanceConnection, NftsArgs } from "./types.ts";

@Resolver(() => EvmAddress)
export class AddressNftsResolver {
  @FieldResolver(() => NftBalanceConnection, {
    nullable: true,
    description: `NFTs that the address holds after the last indexed block. ${UNINDEXED} Fails with \`INVALID_PARAMETER\` for the zero address, whose tokens are not counted.`,
  })
  async nfts(
    @Root() address: EvmAddress,
    @Args(() => NftsArgs) page: NftsArgs,
    @Ctx() context: MetricsContext,
  ): Promise<NftBalanceConnection> {
    const request = {
      list: "nfts",
      load: context.load.nfts,
      cursorOf: ({ tokenAddress, tokenId, ercType }: NftBalance) => `${tokenAddress} ${tokenId} ${ercType}`,
      page,
    };
    return (await readHoldings(address, request, context)).page;
  }
}

@Resolver(() => NftBalance)
export class NftBalanceResolver {
  @FieldResolver(() => NftToken, { nullable: true, description: "The token." })
  token(@Root() { chainId, tokenAddress, tokenId, ercType }: NftBalance): Erc721Token | Erc1155Token {
    const key = { chainId, address: tokenAddress, tokenId };
    return ercType === "ERC-721" ? { ...key, ercType } : { ...key, ercType: "ERC-1155" };
  }
}
