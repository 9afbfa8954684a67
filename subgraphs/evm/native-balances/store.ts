import type { EvmChainConfig } from "../../../core/config/config-schema.ts";
import type { Chains } from "../../../core/networks/chains.ts";
import type { Work } from "../../../core/work/work.ts";
import type { IndexedBlock } from "../../shared/rows/selected-block.ts";
import type { AccountNode, ReadAccount } from "../account-node/account-node.ts";
import { cachedByBlock } from "../account-node/cached-by-block.ts";
import type { FindBlock } from "./find-block.ts";
import type { NativeTokenBalanceArgs } from "./types.ts";

export interface NativeBalance {
  readonly chain: EvmChainConfig;
  readonly block: IndexedBlock;
  /** Decimal text, in the token's smallest unit. */
  readonly balance: string;
}

export interface NativeBalanceStore {
  /**
   * Finds the balance of an address after a block: one statement, and one call of the chain's node unless the balance is
   * cached. Throws `NOT_FOUND` for an unknown chain, and the errors of `FindBlock` and `AccountNode`.
   */
  find(args: Omit<NativeTokenBalanceArgs, "currency">, work: Work): Promise<NativeBalance>;
  /** Reads the balance after an indexed block: at most one call of the chain's node. */
  readonly after: ReadAccount<string>;
}

export interface NativeBalanceDeps {
  readonly chains: Chains;
  readonly findBlock: FindBlock;
  readonly node: Pick<AccountNode, "balance">;
  /** Size of the cache. Default: 10,000 balances. */
  readonly maxCached?: number;
}

export function createNativeBalanceStore({
  chains,
  findBlock,
  node,
  maxCached,
}: NativeBalanceDeps): NativeBalanceStore {
  const after = cachedByBlock(node.balance, maxCached);
  return {
    after,
    async find({ chainId, address, ...selector }, work) {
      const chain = chains.require(chainId);
      const block = await findBlock(String(chain.chainId), selector, work);
      return { chain, block, balance: await after(chain, block, address) };
    },
  };
}
