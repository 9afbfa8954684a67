import type { Erc20Token } from "../erc20-tokens/types.ts";
import type { Holder } from "./store.ts";
import type { Erc20Holder } from "./types.ts";

/** Adds to holders what `Erc20Holder.evmAddress` and `isApproximate` need: the contract and the hash of the block. */
export function withState(
  holders: readonly Holder[],
  { chainId, address: tokenAddress }: Erc20Token,
  blockHash: string | null,
): Erc20Holder[] {
  const state = { chainId, tokenAddress, blockHash };
  return holders.map(({ address, balance }) => ({ address, balance, state }));
}
