import { Address } from "../../../core/scalars.ts";
import type { MetricsContext } from "../context.ts";
import type { Erc20Token } from "./types.ts";

/** Resolves a token by an entity's key; null if no such chain is configured. */
export async function resolveErc20TokenReference(
  { chainId, address }: { readonly chainId: unknown; readonly address: unknown },
  { configuredChains }: MetricsContext,
): Promise<Erc20Token | null> {
  const chain = configuredChains.get(String(chainId));
  return chain && { chainId: String(chain.chainId), address: Address.parseValue(address) };
}
