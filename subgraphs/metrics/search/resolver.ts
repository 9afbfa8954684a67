import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import { formatAddress } from "../../../core/formats/bech32.ts";
import { PRIMARY_CHAIN_ALIASES, type PrimaryChain } from "../../../core/networks/primary-chains.ts";
import type { MetricsContext } from "../context.ts";
import { PrimaryNetworkAddress, SearchArgs, SearchResults } from "./types.ts";

/** Cursors belong to this list. */
const LIST = "search";

@Resolver()
export class SearchResolver {
  @Query(() => SearchResults, {
    description: "Search all configured EVM chains and primary networks by number, hash, id, address or name.",
  })
  async search(
    @Args(() => SearchArgs) { text, size, after }: SearchArgs,
    @Ctx() { search, cursors, work }: MetricsContext,
  ): Promise<SearchResults> {
    const before = cursors.read(LIST, [text], after);
    const { end, ...found } = await search.search(text, size, work, before?.position);
    return { ...found, endCursor: end && cursors.sign(LIST, [text], { position: end, heads: [] }) };
  }
}

@Resolver(() => PrimaryNetworkAddress)
export class PrimaryNetworkAddressResolver {
  @FieldResolver(() => String, { description: "The address in Bech32, without a chain prefix." })
  bech32Address(@Root() { hrp, owner }: PrimaryNetworkAddress): string {
    return formatAddress({ chain: null, prefix: hrp, address: owner.slice(2) });
  }

  @FieldResolver(() => [String], {
    description: "Chains on which the address is known: `p-chain`, `x-chain`, `c-chain`.",
  })
  chainNames(@Root() { chains }: PrimaryNetworkAddress): string[] {
    return [...chains].map((chain) => PRIMARY_CHAIN_ALIASES[chain as PrimaryChain]);
  }
}
