import type { Currency } from "../../../core/prices.ts";
import type { Price } from "../../shared/prices/price.ts";
import type { EvmContext } from "../context.ts";
import type { NetworkTokenDetails } from "./types.ts";

type PricesContext = Pick<EvmContext, "configuredChains" | "currentPrices" | "load">;

/**
 * Returns the native token of a chain (EVM chain id or blockchain id) with its current price and its price at a timestamp
 * in seconds. Throws `NOT_FOUND` for an unknown chain.
 */
export async function networkTokenDetails(
  chainId: string,
  timestamp: string,
  currency: Currency,
  context: PricesContext,
): Promise<NetworkTokenDetails> {
  const { configuredChains, currentPrices } = context;
  const { networkToken } = configuredChains.require(chainId);
  const [currentPrice, historicalPrice] = await Promise.all([
    currentPrices.ofAsset(currentPrices.nativeAssetId(chainId), currency),
    nativePriceAt(chainId, timestamp, currency, context),
  ]);
  return { networkToken, currentPrice, historicalPrice };
}

/** Returns the price of a chain's native token at a timestamp in seconds; null if unknown. */
export async function nativePriceAt(
  chainId: string,
  timestamp: string,
  currency: Currency,
  { currentPrices, load }: Pick<PricesContext, "currentPrices" | "load">,
): Promise<Price | null> {
  const asset = currentPrices.nativeAssetId(chainId);
  return asset === null ? null : ((await load.price({ asset, currency, timestamp }))?.price ?? null);
}
