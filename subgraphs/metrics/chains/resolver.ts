import type { MetricsContext } from "../context.ts";
import type { Chain } from "./types.ts";

/** Resolves a chain by its federation key; null if no such chain is configured. */
export async function resolveChainReference(
  key: { readonly chainId: unknown },
  { configuredChains }: MetricsContext,
): Promise<Chain | null> {
  const chain = configuredChains.get(String(key.chainId));
  return chain && { chainId: String(chain.chainId) };
}
