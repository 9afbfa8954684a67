import type { Erc20Token } from "../erc20-tokens/types.ts";
import type { Holder } from "./store.ts";
import type { Erc20Holder } from "./types.ts";

/** Holders with what `Erc20Holder.isApproximate` needs. */
export function withState(
  holders: readonly Holder[],
  { chainId, address: tokenAddress }: Erc20Token,
  blockHash: string | null,
): Erc20Holder[] {
  const state = { chainId, tokenAddress, blockHash };
  return holders.map(({ address, balance }) => ({ address, balance, state }));
}
