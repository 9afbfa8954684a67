import type { Chains } from "../../../core/networks/chains.ts";

interface ChainsContext {
  readonly configuredChains: Chains;
}

/** EVM chain id of the chain that an argument names by EVM chain id or blockchain id. Throws `NOT_FOUND` for an unknown chain. */
export function findChainId(chainId: string, { configuredChains }: ChainsContext): string {
  return String(configuredChains.require(chainId).chainId);
}

/** EVM chain id of the chain in a federation key; null if no such chain is configured. */
export function referencedChainId(key: { readonly chainId: unknown }, { configuredChains }: ChainsContext) {
  return configuredChains.get(String(key.chainId))?.chainId.toString() ?? null;
}
