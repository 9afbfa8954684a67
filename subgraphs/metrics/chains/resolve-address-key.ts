import { Address } from "../../../core/graph/scalars.ts";
import type { MetricsContext } from "../context.ts";

/** Resolves an entity with the key `chainId address` by its key; null if no such chain is configured. */
export async function resolveAddressKey(
  key: { readonly chainId: unknown; readonly address: unknown },
  { configuredChains }: MetricsContext,
): Promise<{ chainId: string; address: string } | null> {
  const chain = configuredChains.get(String(key.chainId));
  return chain && { chainId: String(chain.chainId), address: Address.parseValue(key.address) };
}
