import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { EvmBlock } from "../blocks/types.ts";
import { ChainIndexing } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { Deployment } from "../deployments/types.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { EvmLog } from "../logs/types.ts";
import { NativeTokenBalanceAt } from "../native-balances/types.ts";
import { NftCollection } from "../nft-collections/types.ts";
import { EvmTransaction } from "../transactions/types.ts";

interface InBlock {
  readonly chainId: string;
  readonly blockNumber: string | null;
}

/** Makes the resolver class of the field `block` of a type. */
function linkToBlock(Type: new () => InBlock) {
  @Resolver(() => Type)
  class BlockLink {
    @FieldResolver(() => EvmBlock, { nullable: true, description: "The block; null if it is not indexed." })
    block(@Root() { chainId, blockNumber }: InBlock, @Ctx() { load }: EvmContext): Promise<EvmBlock | null> | null {
      return blockNumber === null ? null : load.blockByNumber({ chainId, blockNumber });
    }
  }
  return BlockLink;
}

interface Token {
  readonly chainId: string;
  readonly firstBlockNumber: string;
}

/** Makes the resolver class of the field `firstBlock` of a type. */
function linkToFirstBlock(Type: new () => Token) {
  @Resolver(() => Type)
  class FirstBlockLink {
    @FieldResolver(() => EvmBlock, { nullable: true, description: "Block of the first transfer." })
    firstBlock(
      @Root() { chainId, firstBlockNumber: blockNumber }: Token,
      @Ctx() { load }: EvmContext,
    ): Promise<EvmBlock | null> {
      return load.blockByNumber({ chainId, blockNumber });
    }
  }
  return FirstBlockLink;
}

@Resolver(() => EvmLog)
class LogTransactionLink {
  @FieldResolver(() => EvmTransaction, { nullable: true, description: "Transaction that emitted the log." })
  transaction(@Root() { chainId, txHash }: EvmLog, @Ctx() { load }: EvmContext): Promise<EvmTransaction | null> {
    return load.transaction({ chainId, txHash });
  }
}

/** The links from objects that name only the number of a block, or the hash of a transaction. */
export const BLOCK_LINKS = [
  ...[EvmLog, Deployment, NativeTokenBalanceAt, ChainIndexing].map(linkToBlock),
  ...[Erc20Token, NftCollection].map(linkToFirstBlock),
  LogTransactionLink,
];
