import { Arg, Ctx, FieldResolver, Resolver, Root } from "type-graphql";
import { Address } from "../../../core/graph/scalars.ts";
import { NODE_CALL_COST } from "../../shared/evm-node/node-call-cost.ts";
import { CurrencyCode } from "../../shared/prices/price.ts";
import { StateAt } from "../../shared/schema/state-at.ts";
import { blockAt } from "../chains/block-at.ts";
import { referencedChainId } from "../chains/chain-id.ts";
import { nullIfIndexed, UNINDEXED_CHAIN } from "../chains/require-indexed.ts";
import type { EvmContext } from "../context.ts";
import { Contract } from "../contracts/types.ts";
import { Erc20Token } from "../erc20-tokens/types.ts";
import { nativeTokenBalance } from "../native-balances/resolver.ts";
import { NativeTokenBalance } from "../native-balances/types.ts";
import { nativePriceAt } from "../prices/network-token.ts";
import { requireHead } from "./require-head.ts";
import { EvmAddress } from "./types.ts";

@Resolver(() => EvmAddress)
export class EvmAddressResolver {
  @FieldResolver(() => NativeTokenBalance, {
    nullable: true,
    description: `Native token balance, from the chain's node. Null, with an error, if the node cannot return it; only archive nodes have the balances after old blocks. ${NODE_CALL_COST}`,
  })
  async nativeBalance(
    @Root() { chainId, address }: EvmAddress,
    @Arg("currency", () => CurrencyCode, { defaultValue: "usd", description: "Currency of the price." })
    currency: CurrencyCode,
    @Arg("at", () => StateAt, {
      nullable: true,
      description:
        "Block of the balance. The price is that at the timestamp of the block. Default: the last indexed block, with the current price.",
    })
    at: StateAt | null | undefined,
    @Ctx() context: EvmContext,
  ): Promise<NativeTokenBalance> {
    const { configuredChains, currentPrices, nativeBalances } = context;
    const chain = configuredChains.require(chainId);
    const selected = await blockAt(chainId, at, context);
    const [balance, price] = await Promise.all([
      nativeBalances.after(chain, selected ?? (await requireHead(chainId, context)), address),
      selected
        ? nativePriceAt(chainId, selected.blockTimestamp, currency, context)
        : currentPrices.ofAsset(currentPrices.nativeAssetId(chainId), currency),
    ]);
    return nativeTokenBalance({ chain, balance }, price);
  }

  @FieldResolver(() => Boolean, {
    nullable: true,
    description: `True if the address has contract code after the last indexed block, according to the chain's node. An account that delegates to a contract (EIP-7702) is not a contract. Null, with an error, if the node cannot tell. ${NODE_CALL_COST}`,
  })
  async isContract(@Root() { chainId, address }: EvmAddress, @Ctx() context: EvmContext): Promise<boolean> {
    const head = await requireHead(chainId, context);
    return context.isContract(context.configuredChains.require(chainId), head, address);
  }

  @FieldResolver(() => Contract, {
    nullable: true,
    description: `The contract at the address. Null if neither the creation of the contract nor a token transfer that it emitted is indexed. ${UNINDEXED_CHAIN}`,
  })
  async contract(@Root() { chainId, address }: EvmAddress, @Ctx() context: EvmContext): Promise<Contract | null> {
    return (await context.load.contract({ chainId, address })) ?? nullIfIndexed(chainId, context);
  }

  @FieldResolver(() => Erc20Token, {
    nullable: true,
    description: `ERC-20 token at the address; null if it has emitted no ERC-20 transfer. ${UNINDEXED_CHAIN}`,
  })
  async erc20Token(@Root() { chainId, address }: EvmAddress, @Ctx() context: EvmContext): Promise<Erc20Token | null> {
    return (await context.load.erc20Token({ chainId, address })) ?? nullIfIndexed(chainId, context);
  }
}

/** Resolves an address by its federation key; null if no such chain is configured. */
export async function resolveEvmAddressReference(
  key: { readonly chainId: unknown; readonly address: unknown },
  context: EvmContext,
): Promise<EvmAddress | null> {
  const chainId = referencedChainId(key, context);
  return chainId === null ? null : { chainId, address: Address.parseValue(key.address) };
}
