import { Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { Chain } from "../chains/types.ts";
import type { EvmContext } from "../context.ts";
import { Erc20Transfer } from "../erc20-transfers/types.ts";
import { Erc721Transfer } from "../erc721-transfers/types.ts";
import { Erc1155Transfer } from "../erc1155-transfers/types.ts";
import { EvmInternalTransaction } from "../internal-transactions/types.ts";
import { EvmLog } from "../logs/types.ts";
import { NativeTokenBalance } from "../native-balances/types.ts";
import { EvmTransaction } from "../transactions/types.ts";

interface OnChain {
  readonly chainId: string;
}

/** Makes the resolver class of the field `chain` of a type. */
function linkToChain(Type: new () => OnChain) {
  @Resolver(() => Type)
  class ChainLink {
    @FieldResolver(() => Chain, { nullable: true, description: "The chain; null if it is no longer configured." })
    chain(@Root() { chainId }: OnChain, @Ctx() { load }: EvmContext): Promise<Chain | null> {
      return load.chain({ chainId });
    }
  }
  return ChainLink;
}

/** The links from objects that name only the id of their chain. */
export const CHAIN_LINKS = [
  EvmTransaction,
  EvmLog,
  Erc20Transfer,
  Erc721Transfer,
  Erc1155Transfer,
  EvmInternalTransaction,
  NativeTokenBalance,
].map(linkToChain);
