import type { Currency } from "../../../core/prices.ts";
import type { Price } from "../../shared/price.ts";
import type { EvmContext } from "../context.ts";
import type { NetworkTokenDetails } from "./types.ts";

type PricesContext = Pick<EvmContext, "configured" | "prices" | "load">;

/**
 * The coin of a chain (EVM chain id or blockchain id), with its price now and at a time in seconds. Throws `NOT_FOUND`
 * for an unknown chain.
 */
export async function networkTokenDetails(
  chainId: string,
  timestamp: string,
  currency: Currency,
  context: PricesContext,
): Promise<NetworkTokenDetails> {
  const { networkToken } = context.configured.find(chainId);
  const [currentPrice, historicalPrice] = await Promise.all([
    context.prices.current(context.prices.coin(chainId), currency),
    coinPriceAt(chainId, timestamp, currency, context),
  ]);
  return { networkToken, currentPrice, historicalPrice };
}

/** What a chain's coin cost at a time in seconds; null when that is not known. */
export async function coinPriceAt(
  chainId: string,
  timestamp: string,
  currency: Currency,
  { prices, load }: PricesContext,
): Promise<Price | null> {
  const asset = prices.coin(chainId);
  return asset === null ? null : ((await load.price({ asset, currency, timestamp }))?.price ?? null);
}
