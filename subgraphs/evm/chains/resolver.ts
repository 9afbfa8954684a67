import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from "type-graphql";
import type { EvmContext } from "../context.ts";
import { Chain, ChainIndexing, ChainList, ChainsArgs } from "./types.ts";

@Resolver(() => Chain)
export class ChainResolver {
  @Query(() => ChainList, { description: "List the EVM chains." })
  async chains(@Args(() => ChainsArgs) filter: ChainsArgs, @Ctx() { chains, work }: EvmContext): Promise<ChainList> {
    return { chains: await chains.list(filter, work) };
  }

  @Query(() => Chain, { description: "Get a chain. Fails with `NOT_FOUND` if the chain is not configured." })
  chain(
    @Arg("chainId", () => String, { description: "EVM chain id or blockchain id." }) chainId: string,
    @Ctx() { chains, work }: EvmContext,
  ): Promise<Chain> {
    return chains.require(chainId, work);
  }
}

@Resolver(() => ChainIndexing)
export class ChainIndexingResolver {
  @FieldResolver(() => Int, { description: "Number of ERC-20 contracts whose metadata is still to be read." })
  async pendingTokens(@Root() { chainId }: ChainIndexing, @Ctx() { load }: EvmContext): Promise<number> {
    return (await load.pendingTokens({ chainId }))?.count ?? 0;
  }
}

/** Resolves a chain by its federation key. */
export function resolveChainReference(key: { readonly chainId: string }, { load }: EvmContext): Promise<Chain | null> {
  return load.chain({ chainId: String(key.chainId) });
}
