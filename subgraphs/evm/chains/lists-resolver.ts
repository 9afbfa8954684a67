import { Args, Ctx, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { TotalCount } from "../../../core/graph/connection-page.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { EvmBlockConnection } from "../blocks/types.ts";
import type { EvmContext } from "../context.ts";
import { ContractConnection } from "../contracts/types.ts";
import type { ChainsParent } from "../ranged-lists/across-chains.ts";
import { BlockRangeArgs, ChainsListArgs } from "../ranged-lists/args.ts";
import { type ChainsFilter, chainIdsOf } from "../ranged-lists/filters.ts";
import { isWhole, rangeOf, timesOf } from "../ranged-lists/range.ts";
import { EvmTransactionConnection, NestedPageArgs } from "../transactions/types.ts";
import { Chain } from "./types.ts";

const ORDER =
  "newest first by the time of their blocks. Of a chain that is still being indexed, the list has what is indexed so far; see `Chain.indexing`.";

/** Blocks and transactions of chains. */
@Resolver(() => Chain)
export class ChainListsResolver {
  @Query(() => EvmBlockConnection, { description: `List the blocks of several EVM chains together, ${ORDER}` })
  async latestBlocks(
    @Args(() => ChainsListArgs) args: ChainsListArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmBlockConnection> {
    const parent = parentOf(args.filter ?? {}, context);
    const page = await context.load.blocksOfChains.ofChains(parent, args);
    return isTimeless(args.filter) ? page.countedBy(() => countOf("blocks", parent.chainIds, context)) : page;
  }

  @Query(() => EvmTransactionConnection, {
    description: `List the transactions of several EVM chains together, ${ORDER}`,
  })
  async latestTransactions(
    @Args(() => ChainsListArgs) args: ChainsListArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransactionConnection> {
    const parent = parentOf(args.filter ?? {}, context);
    const page = await context.load.transactionsOfChains.ofChains(parent, args);
    return isTimeless(args.filter) ? page.countedBy(() => countOf("transactions", parent.chainIds, context)) : page;
  }

  @FieldResolver(() => EvmBlockConnection, { description: "Blocks of the chain, newest first." })
  async blocks(
    @Root() { chainId }: Chain,
    @Args(() => BlockRangeArgs) args: BlockRangeArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmBlockConnection> {
    const page = await context.load.blocksOfChains.ofChain([chainId, ...rangeOf(args.filter ?? {})], args);
    return isWhole(args.filter) ? page.countedBy(() => countOf("blocks", [chainId], context)) : page;
  }

  @FieldResolver(() => EvmTransactionConnection, { description: "Transactions of the chain, newest first." })
  async transactions(
    @Root() { chainId }: Chain,
    @Args(() => BlockRangeArgs) args: BlockRangeArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransactionConnection> {
    const page = await context.load.transactionsOfChains.ofChain([chainId, ...rangeOf(args.filter ?? {})], args);
    return isWhole(args.filter) ? page.countedBy(() => countOf("transactions", [chainId], context)) : page;
  }

  @FieldResolver(() => ContractConnection, {
    description:
      "Contracts of the chain whose creation is indexed, newest first. A contract that was created again has the place of its latest creation. Contracts that other contracts created are included only if the block is traced; see `Chain.capabilities`. Contracts of the genesis are not included.",
  })
  contracts(
    @Root() { chainId }: Chain,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<ContractConnection> {
    return load.contractsOfChain([chainId], args);
  }
}

/** The count from the heads of chains. */
async function countOf(
  what: "blocks" | "transactions",
  chainIds: readonly string[],
  { load }: EvmContext,
): Promise<TotalCount> {
  const counts = await Promise.all(chainIds.map((chainId) => load.chainCounts({ chainId })));
  return exactly(counts.reduce((sum, count) => sum + BigInt(count?.[what] ?? 0), 0n));
}

/** True if a filter has no times. */
const isTimeless = (filter: ChainsFilter | null | undefined): boolean => isWhole({ ...filter, chains: null });

const parentOf = (filter: ChainsFilter, context: EvmContext): ChainsParent => ({
  chainIds: chainIdsOf(filter, context),
  key: [],
  times: timesOf(filter),
});
