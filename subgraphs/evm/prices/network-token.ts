import type { Currency } from "../../../core/networks/prices.ts";
import type { Price } from "../../shared/prices/price.ts";
import type { EvmContext } from "../context.ts";
import type { NetworkTokenDetails } from "./types.ts";

type PricesContext = Pick<EvmContext, "configuredChains" | "currentPrices" | "load">;

/**
 * Returns the native token of a chain (EVM chain id or blockchain id) with its current price and its price at a timestamp
 * in seconds. Throws `NOT_FOUND` for an unknown chain.
 */
export function networkTokenDetails(
  chainId: string,
  timestamp: string,
  currency: Currency,
  context: PricesContext,
): NetworkTokenDetails | Promise<NetworkTokenDetails> {
  const { networkToken } = context.configuredChains.require(chainId);
  const asset = context.currentPrices.nativeAssetId(chainId);
  return asset === null
    ? { networkToken, currentPrice: null, historicalPrice: null }
    : withPrices(networkToken, { asset, currency, timestamp }, context);
}

async function withPrices(
  networkToken: NetworkTokenDetails["networkToken"],
  price: { readonly asset: string; readonly currency: Currency; readonly timestamp: string },
  { currentPrices, load }: PricesContext,
): Promise<NetworkTokenDetails> {
  const [currentPrice, historical] = await Promise.all([
    currentPrices.ofAsset(price.asset, price.currency),
    load.price(price),
  ]);
  return { networkToken, currentPrice, historicalPrice: historical?.price ?? null };
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
