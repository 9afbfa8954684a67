import { Arg, Args, Ctx, FieldResolver, Query, Resolver, Root, Subscription } from "type-graphql";
import { Failure } from "../../../core/errors.ts";
import { Hash, Quantity } from "../../../core/scalars.ts";
import { Chain } from "../chains/types.ts";
import { chainIdOf, type EvmContext } from "../context.ts";
import { EvmTransactionPage, NestedPageArgs } from "../transactions/types.ts";
import { EvmBlock, EvmBlockArgs, EvmBlockPage, EvmBlocksArgs } from "./types.ts";

@Resolver(() => EvmBlock)
export class EvmBlockResolver {
  @Query(() => EvmBlockPage, { description: "The latest indexed blocks of a chain, newest first." })
  evmBlocks(@Args(() => EvmBlocksArgs) args: EvmBlocksArgs, @Ctx() { blocks }: EvmContext): Promise<EvmBlockPage> {
    return blocks.page(args);
  }

  @Query(() => EvmBlock, { nullable: true, description: "One block, by number or hash; null when it is not indexed." })
  async evmBlock(@Args(() => EvmBlockArgs) args: EvmBlockArgs, @Ctx() context: EvmContext): Promise<EvmBlock | null> {
    const chainId = chainIdOf(args.chainId, context);
    const { blockNumber, blockHash } = args;
    if (!blockNumber && !blockHash)
      throw new Failure("INVALID_PARAMETER", "blockNumber or blockHash must be given, got neither");
    const block = blockHash
      ? await context.load.blockByHash({ chainId, blockHash })
      : await context.load.blockByNumber({ chainId, blockNumber: blockNumber ?? "" });
    return !blockNumber || block?.blockNumber === blockNumber ? block : null;
  }

  @Subscription(() => EvmBlock, {
    description:
      "Blocks as they are indexed, in order, each once. When a reorganisation replaces blocks, those that replace them follow.",
    subscribe: ({ args, context }) => context.blockFeed.follow(chainIdOf(args.chainId, context)),
  })
  blockAdded(
    @Root() block: EvmBlock,
    @Arg("chainId", () => String, { description: "EVM chain id or blockchain id." }) _chainId: string,
    @Ctx() context: EvmContext,
  ): EvmBlock {
    context.forgetLoaded();
    return block;
  }

  @FieldResolver(() => Chain, { nullable: true, description: "Its chain; null when that is not served any more." })
  chain(@Root() { chainId }: EvmBlock, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => EvmTransactionPage, { description: "Its transactions, in its order." })
  async transactions(
    @Root() { chainId, blockNumber }: EvmBlock,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmTransactionPage> {
    const { items, nextPageToken } = await load.transactionsOfBlock([chainId, blockNumber], args);
    return { nextPageToken, transactions: items };
  }
}

/** The block that another subgraph names by number or hash. */
export async function resolveEvmBlockReference(
  key: { readonly chainId: string; readonly blockNumber?: unknown; readonly blockHash?: unknown },
  { configured, load }: EvmContext,
): Promise<EvmBlock | null> {
  const chainId = configured.get(String(key.chainId))?.chainId.toString();
  if (!chainId) return null;
  if (key.blockHash !== undefined) return load.blockByHash({ chainId, blockHash: Hash.parseValue(key.blockHash) });
  return load.blockByNumber({ chainId, blockNumber: Quantity.parseValue(key.blockNumber) });
}
