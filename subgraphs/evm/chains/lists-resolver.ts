import { Args, Ctx, Directive, FieldResolver, Query, Resolver, Root } from "type-graphql";
import type { TotalCount } from "../../../core/graph/connection-page.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { EvmBlockConnection } from "../blocks/types.ts";
import type { EvmContext } from "../context.ts";
import { ContractConnection } from "../contracts/types.ts";
import { BlockRangeArgs, ChainsListArgs } from "../ranged-lists/args.ts";
import { type ChainsFilter, OF_CHAINS, parentOf } from "../ranged-lists/filters.ts";
import { pageInRange, pageOfIndexed } from "../ranged-lists/page-in-range.ts";
import { isWhole } from "../ranged-lists/range.ts";
import { EvmTransactionConnection, NestedPageArgs } from "../transactions/types.ts";
import { UNINDEXED_CHAIN } from "./require-indexed.ts";
import { Chain } from "./types.ts";

/** Blocks and transactions of chains. */
@Resolver(() => Chain)
export class ChainListsResolver {
  @Query(() => EvmBlockConnection, { description: `List the blocks of several EVM chains together, ${OF_CHAINS}` })
  async latestBlocks(
    @Args(() => ChainsListArgs) args: ChainsListArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmBlockConnection> {
    const parent = parentOf(args.filter ?? {}, [], context);
    const page = await context.load.blocksOfChains.ofChains(parent, args);
    return isTimeless(args.filter) ? page.countedBy(() => countOf("blocks", parent.chainIds, context)) : page;
  }

  @Query(() => EvmTransactionConnection, {
    description: `List the transactions of several EVM chains together, ${OF_CHAINS}`,
  })
  async latestTransactions(
    @Args(() => ChainsListArgs) args: ChainsListArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransactionConnection> {
    const parent = parentOf(args.filter ?? {}, [], context);
    const page = await context.load.transactionsOfChains.ofChains(parent, args);
    return isTimeless(args.filter) ? page.countedBy(() => countOf("transactions", parent.chainIds, context)) : page;
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmBlockConnection, {
    nullable: true,
    description: `Blocks of the chain, newest first. ${UNINDEXED_CHAIN}`,
  })
  async blocks(
    @Root() { chainId }: Chain,
    @Args(() => BlockRangeArgs) args: BlockRangeArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmBlockConnection> {
    const page = await pageInRange([chainId], context.load.blocksOfChains, args, context);
    return isWhole(args.filter) ? page.countedBy(() => countOf("blocks", [chainId], context)) : page;
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmTransactionConnection, {
    nullable: true,
    description: `Transactions of the chain, newest first. ${UNINDEXED_CHAIN}`,
  })
  async transactions(
    @Root() { chainId }: Chain,
    @Args(() => BlockRangeArgs) args: BlockRangeArgs,
    @Ctx() context: EvmContext,
  ): Promise<EvmTransactionConnection> {
    const page = await pageInRange([chainId], context.load.transactionsOfChains, args, context);
    return isWhole(args.filter) ? page.countedBy(() => countOf("transactions", [chainId], context)) : page;
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => ContractConnection, {
    nullable: true,
    description: `Contracts of the chain whose creation is indexed, newest first. A contract that was created again has the place of its latest creation. Contracts that other contracts created are included only if the block is traced; see \`Chain.capabilities\`. Contracts of the genesis are not included. ${UNINDEXED_CHAIN}`,
  })
  contracts(
    @Root() { chainId }: Chain,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() context: EvmContext,
  ): Promise<ContractConnection> {
    return pageOfIndexed(chainId, context.load.contractsOfChain([chainId], args), context);
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
