import { Args, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { readHoldings } from "../addresses/holding-pages.ts";
import { readPastHoldings } from "../addresses/past-holding-pages.ts";
import { EvmAddress } from "../addresses/types.ts";
import { UNINDEXED } from "../chains/not-indexed.ts";
import type { MetricsContext } from "../context.ts";
import { type Erc721Token, type Erc1155Token, NftToken } from "../nft-tokens/types.ts";
import { nftCursor } from "./store.ts";
import { NftBalance, NftBalanceConnection, NftsArgs } from "./types.ts";

@Resolver(() => EvmAddress)
export class AddressNftsResolver {
  @FieldResolver(() => NftBalanceConnection, {
    nullable: true,
    description: `NFTs that the address holds after a block. With \`at\`, a page considers at most 10,000 further tokens that the address ever held, and the next page continues after them: a page can have fewer items than requested, or none, even if it is not the last. ${UNINDEXED} Fails with \`INVALID_PARAMETER\` for the zero address, whose tokens are not counted.`,
  })
  async nfts(
    @Root() address: EvmAddress,
    @Args(() => NftsArgs) page: NftsArgs,
    @Ctx() context: MetricsContext,
  ): Promise<NftBalanceConnection> {
    const { at } = page;
    const { nfts, nftsAtBlock } = context.load;
    const cursorOf = nftCursor;
    const { page: found } = at
      ? await readPastHoldings(address, { list: "nfts at", at, load: nftsAtBlock, cursorOf, page }, context)
      : await readHoldings(address, { list: "nfts", load: nfts, cursorOf, page }, context);
    return found;
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
