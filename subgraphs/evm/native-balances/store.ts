import type { Chains } from "../../../core/chains.ts";
import type { EvmChainConfig } from "../../../core/config-schema.ts";
import type { BalanceNode } from "./balance-node.ts";
import type { FindBlock, IndexedBlock } from "./find-block.ts";
import type { NativeTokenBalanceArgs } from "./types.ts";

const MAX_CACHED = 10_000;

export interface NativeBalance {
  readonly chain: EvmChainConfig;
  readonly block: IndexedBlock;
  /** Decimal text, in the token's smallest unit. */
  readonly balance: string;
}

export interface NativeBalanceStore extends AsyncDisposable {
  /**
   * Finds the balance of an address after a block: one statement, and one call of the chain's node unless the balance is
   * cached. Throws `NOT_FOUND` for an unknown chain.
   */
  find(args: Omit<NativeTokenBalanceArgs, "currency">): Promise<NativeBalance>;
}

export interface NativeBalanceDeps {
  readonly chains: Chains;
  readonly findBlock: FindBlock;
  readonly node: BalanceNode;
  /** Size of the cache. Default: 10,000 balances. */
  readonly maxCached?: number;
}

/** Disposing it closes the connections to the nodes. */
export function createNativeBalanceStore(deps: NativeBalanceDeps): NativeBalanceStore {
  const { chains, findBlock, node, maxCached = MAX_CACHED } = deps;
  // The key has the block's hash, so a balance from before a reorganisation is not returned after it.
  const cache = new Map<string, Promise<string>>();

  function balance(chain: EvmChainConfig, block: IndexedBlock, address: string): Promise<string> {
    const key = `${chain.chainId} ${block.blockHash} ${address}`;
    const cached = cache.get(key);
    const answer = cached ?? node.balance(chain, block, address);
    // Setting the key again moves it to the end: the first key of the map is the least recently used.
    cache.delete(key);
    cache.set(key, answer);
    if (!cached) answer.catch(() => cache.get(key) === answer && cache.delete(key));
    if (cache.size > maxCached) deleteFirst(cache);
    return answer;
  }

  return {
    async find({ chainId, address, ...selector }) {
      const chain = chains.require(chainId);
      const block = await findBlock(String(chain.chainId), selector);
      return { chain, block, balance: await balance(chain, block, address) };
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}

function deleteFirst(cache: Map<string, unknown>): void {
  const [first] = cache.keys();
  if (first !== undefined) cache.delete(first);
}
