import { Arg, Args, Ctx, FieldResolver, Int, Query, Resolver, Root } from "type-graphql";
import type { EvmContext } from "../context.ts";
import { Chain, ChainIndexing, ChainList, ChainsArgs } from "./types.ts";

@Resolver(() => Chain)
export class ChainResolver {
  @Query(() => ChainList, { description: "The EVM chains that are served." })
  async chains(@Args(() => ChainsArgs) filter: ChainsArgs, @Ctx() { chains }: EvmContext): Promise<ChainList> {
    return { chains: await chains.list(filter) };
  }

  @Query(() => Chain, { description: "One chain; an error `NOT_FOUND` when it is not served." })
  chain(
    @Arg("chainId", () => String, { description: "EVM chain id or blockchain id." }) chainId: string,
    @Ctx() { chains }: EvmContext,
  ): Promise<Chain> {
    return chains.find(chainId);
  }
}

@Resolver(() => ChainIndexing)
export class ChainIndexingResolver {
  @FieldResolver(() => Int, { description: "Token contracts that wait to be asked for their metadata." })
  async pendingTokens(@Root() { chainId }: ChainIndexing, @Ctx() { load }: EvmContext): Promise<number> {
    return (await load.pendingTokens({ chainId }))?.count ?? 0;
  }
}

/** The chain that another subgraph names. */
export function resolveChainReference(key: { readonly chainId: string }, { load }: EvmContext): Promise<Chain | null> {
  return load.chain({ chainId: String(key.chainId) });
}
