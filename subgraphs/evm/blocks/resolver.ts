import { Args, Ctx, Directive, FieldResolver, Query, Resolver, Root, Subscription } from "type-graphql";
import { Failure } from "../../../core/errors/errors.ts";
import { Hash, Quantity } from "../../../core/graph/scalars.ts";
import { exactly } from "../../shared/rows/list-reader.ts";
import { findChainId, referencedChainId } from "../chains/chain-id.ts";
import { nullIfIndexed, UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { EvmAddress } from "../evm-addresses/types.ts";
import { pageInRange } from "../ranged-lists/page-in-range.ts";
import { isWhole } from "../ranged-lists/range.ts";
import { EvmTransactionConnection, NestedPageArgs } from "../transactions/types.ts";
import { BlockAddedArgs, EvmBlock, EvmBlockArgs, EvmBlockConnection, EvmBlocksArgs } from "./types.ts";

@Resolver(() => EvmBlock)
export class EvmBlockResolver {
  @Query(() => EvmBlockConnection, { description: "List the blocks of a chain, newest first." })
  evmBlocks(@Args(() => EvmBlocksArgs) args: EvmBlocksArgs, @Ctx() context: EvmContext): Promise<EvmBlockConnection> {
    return isWhole(args.filter)
      ? context.blocks.page(args, context.work)
      : pageInRange([findChainId(args.chainId, context)], context.load.blocksOfChains, args, context);
  }

  @Query(() => EvmBlock, {
    nullable: true,
    description: `Get a block by number or hash, one of which is required; null if it is not indexed. ${UNINDEXED_CHAIN}`,
  })
  async evmBlock(@Args(() => EvmBlockArgs) args: EvmBlockArgs, @Ctx() context: EvmContext): Promise<EvmBlock | null> {
    const chainId = findChainId(args.chainId, context);
    const { blockNumber, blockHash } = args;
    if (!blockNumber && !blockHash)
      throw new Failure("INVALID_PARAMETER", "blockNumber or blockHash must be given, got neither");
    const block = blockHash
      ? await context.load.blockByHash({ chainId, blockHash })
      : await context.load.blockByNumber({ chainId, blockNumber: blockNumber ?? "" });
    if (!block) return nullIfIndexed(chainId, context);
    return !blockNumber || block.blockNumber === blockNumber ? block : null;
  }

  @Subscription(() => EvmBlock, {
    description:
      "Sends each block when it is indexed, in order. To a client that is more than 1,000 blocks behind, sends only the last 1,000 blocks. After a reorganisation, sends the blocks of the new branch, beginning with the first block that differs. Begins with the next block, or with `fromBlock`: after a connection was lost, pass the number after the last block that you received. If `parentHash` of the first block is not the hash of your last block, a reorganisation replaced it.",
    subscribe: ({ args, context }) =>
      context.blockSubscriptions.subscribe(findChainId(args.chainId, context), context.work, args.fromBlock),
  })
  blockAdded(@Root() block: EvmBlock, @Args(() => BlockAddedArgs) _args: BlockAddedArgs): EvmBlock {
    return block;
  }

  @FieldResolver(() => Chain, {
    nullable: true,
    description: "Chain of the block; null if it is no longer configured.",
  })
  chain(@Root() { chainId }: EvmBlock, @Ctx() { load }: EvmContext): Promise<Chain | null> {
    return load.chain({ chainId });
  }

  @FieldResolver(() => EvmBlock, { nullable: true, description: "Block before this one; null if it is not indexed." })
  parent(@Root() { chainId, parentHash }: EvmBlock, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> {
    return load.blockByHash({ chainId, blockHash: parentHash });
  }

  @Directive("@semanticNonNull")
  @FieldResolver(() => EvmAddress, { nullable: true, description: "The address `miner`." })
  minerEvmAddress(@Root() { chainId, miner }: EvmBlock): EvmAddress {
    return { chainId, address: miner };
  }

  @FieldResolver(() => EvmTransactionConnection, { description: "Transactions of the block, in the block's order." })
  async transactions(
    @Root() { chainId, blockNumber, txCount }: EvmBlock,
    @Args(() => NestedPageArgs) args: NestedPageArgs,
    @Ctx() { load }: EvmContext,
  ): Promise<EvmTransactionConnection> {
    const page = await load.transactionsOfBlock([chainId, blockNumber], args);
    return page.countedBy(async () => exactly(txCount));
  }
}

/** Resolves a block by either of its keys: block number or block hash. */
export async function resolveEvmBlockReference(
  key: { readonly chainId: string; readonly blockNumber?: unknown; readonly blockHash?: unknown },
  context: EvmContext,
): Promise<EvmBlock | null> {
  const chainId = referencedChainId(key, context);
  if (!chainId) return null;
  if (key.blockHash !== undefined)
    return context.load.blockByHash({ chainId, blockHash: Hash.parseValue(key.blockHash) });
  return context.load.blockByNumber({ chainId, blockNumber: Quantity.parseValue(key.blockNumber) });
}
